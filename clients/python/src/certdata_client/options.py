"""The options of both clients."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import httpx

from .assertions import PrivateKey, create_assertion
from .cache import AnswerCache, MemoryCache
from .core import Core
from .errors import ConnectionFault, NetworkReason
from .flow import Reply, Send
from .key_expiry import ExpiryWarning, OnKeyExpiring
from .retry import OnRetry, Retry
from .tokens import FixedToken, Tokens, key_login, signed_login

# Longer than the pauses of most programs, and shorter than the 72 s after which the service closes an idle connection.
LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=60)


@dataclass(frozen=True)
class Options:
    """The common options; see `Client`."""

    api_key: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    signer: Callable[[], str] | None = field(default=None, repr=False)
    """Creates an assertion."""
    cache: AnswerCache | bool = True
    retry: Retry = field(default_factory=Retry)
    timeout: float = 30.0
    on_key_expiring: OnKeyExpiring | None = None
    on_retry: OnRetry | None = None
    clock: Callable[[], float] = time.monotonic

    def core(self) -> Core:
        """Build the core. Raise ValueError unless exactly one way to log in is given."""
        cache = (MemoryCache() if self.cache else None) if isinstance(self.cache, bool) else self.cache
        api_key, token, signer = self.api_key, self.token, self.signer
        if [api_key, token, signer].count(None) != 2:
            raise ValueError("give one of api_key, token, and client_id with private_key")
        tokens: Tokens | FixedToken
        if token is not None:
            tokens = FixedToken(token)
        else:
            login = partial(signed_login, signer) if signer else partial(key_login, str(api_key))
            tokens = Tokens(login, self.timeout, self.clock, ExpiryWarning(self.on_key_expiring), api_key)
        return Core(tokens, cache, self.retry, self.timeout, self.on_retry)


def signer_of(
    client_id: str | None, private_key: PrivateKey | None, audience: str, kid: str | None
) -> Callable[[], str] | None:
    """Return a function that signs assertions; None if this client does not. Raise ValueError for half a pair."""
    if client_id is None and private_key is None:
        return None
    if client_id is None or private_key is None:
        raise ValueError("give client_id and private_key together")
    return partial(create_assertion, client_id, private_key, audience, kid=kid)


_WORDS: dict[NetworkReason, str] = {
    "unresolved": "its name has no address",
    "refused": "nothing listens there",
    "certificate": "its certificate is not trusted",
    "timeout": "it took too long",
    "incomplete": "the connection broke",
    "unreachable": "it cannot be reached",
}


def _list_causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and the errors that led to it, also those of parallel attempts."""
    while error is not None:
        yield error
        for each in getattr(error, "exceptions", ()):
            yield from _list_causes(each)
        error = error.__cause__ or error.__context__


def _reason_of(error: httpx.HTTPError) -> NetworkReason:
    if isinstance(error, httpx.TimeoutException):
        return "timeout"
    for cause in _list_causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return "certificate"
        if isinstance(cause, socket.gaierror):
            return "unresolved"
        if isinstance(cause, ConnectionRefusedError):
            return "refused"
    is_unreachable = isinstance(error, (httpx.ConnectError, httpx.ProxyError))
    return "unreachable" if is_unreachable else "incomplete"


@contextmanager
def connection_faults() -> Iterator[None]:
    """Turn httpx's errors of an incomplete answer into ConnectionFault."""
    try:
        yield
    except (httpx.UnsupportedProtocol, httpx.LocalProtocolError):
        raise
    except (httpx.TransportError, httpx.DecodingError) as error:
        reason = _reason_of(error)
        details = str(error) or type(error).__name__
        raise ConnectionFault(f"No complete answer: {_WORDS[reason]} ({details})", reason) from error


def request_of(http: httpx.Client | httpx.AsyncClient, origin: str, send: Send) -> httpx.Request:
    """Return the request to send."""
    return http.build_request(
        send.method,
        f"{origin}{send.target}",
        headers=send.headers,
        content=send.content,
        timeout=send.timeout,
    )


def reply_of(response: httpx.Response, is_open: bool) -> Reply:
    """Return the answer, with its body unless the stream is still open."""
    if is_open:
        return Reply(response.status_code, response.headers, response=response)
    return Reply(response.status_code, response.headers, response.content)
