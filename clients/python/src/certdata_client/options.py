"""What both clients are told, and what they make of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

from .cache import AnswerCache, MemoryCache
from .core import Core
from .errors import ConnectionFault
from .flow import Reply, Send
from .retry import Retry
from .tokens import FixedToken, Tokens

# Longer than the pauses of most programs, shorter than the 72 s after which the service closes an idle connection.
LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=60)


@dataclass(frozen=True)
class Options:
    """The common options; see `Client`."""

    api_key: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    cache: AnswerCache | bool = True
    retry: Retry = field(default_factory=Retry)
    timeout: float = 30.0
    clock: Callable[[], float] = time.monotonic

    def core(self) -> Core:
        """Build the core. Raise ValueError unless exactly one of `api_key` and `token` is given."""
        cache = (MemoryCache() if self.cache else None) if isinstance(self.cache, bool) else self.cache
        if self.api_key is not None and self.token is None:
            tokens: Tokens | FixedToken = Tokens(self.api_key, self.timeout, self.clock)
        elif self.token is not None and self.api_key is None:
            tokens = FixedToken(self.token)
        else:
            raise ValueError("give either api_key or token")
        return Core(tokens, cache, self.retry, self.timeout)


@contextmanager
def connection_faults() -> Iterator[None]:
    """Turn what httpx raises, where no whole answer came, into ConnectionFault."""
    try:
        yield
    except (httpx.UnsupportedProtocol, httpx.LocalProtocolError):
        raise
    except (httpx.TransportError, httpx.DecodingError) as error:
        raise ConnectionFault(str(error) or type(error).__name__) from error


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
