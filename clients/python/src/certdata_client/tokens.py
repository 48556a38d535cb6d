"""The access token: login, renewal and replacement."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar
from urllib.parse import urlencode

from .errors import CertdataError, read_problem
from .flow import Flow, LogIn, Send, Tell
from .key_expiry import ExpiryWarning
from .types import KeySummary, RotatedKey

T = TypeVar("T")

_LOGIN = "/v1/auth/login"
_EXCHANGE = "/v1/me/keys/rotate"
_RENEW_AHEAD = 60.0
"""Seconds. This long before its end, one request renews the token while other requests still use it."""
_RENEW_AHEAD_PART = 0.2
"""A short-lived token is renewed when this share of its lifetime is left."""


class Repeat(Protocol):
    """Repeats an attempt that failed for a while."""

    def __call__(self, target: str, attempt: Callable[[], Flow[T]]) -> Flow[T]: ...


class LoginRequest(NamedTuple):
    """The request of one login."""

    target: str
    media_type: str
    content: bytes


def key_login(api_key: str) -> LoginRequest:
    """Return the login of an API key."""
    return LoginRequest(_LOGIN, "application/json", json.dumps({"api_key": api_key.strip()}).encode())


def key_exchange(api_key: str) -> LoginRequest:
    """Return the exchange of an API key for a new one."""
    return key_login(api_key)._replace(target=_EXCHANGE)


def signed_login(sign: Callable[[], str]) -> LoginRequest:
    """Return the login of a client with a signing key. Each login has a new assertion."""
    form = {
        "grant_type": "client_credentials",
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        "client_assertion": sign(),
    }
    return LoginRequest("/v1/oauth/token", "application/x-www-form-urlencoded", urlencode(form).encode())


@dataclass(frozen=True)
class _Token:
    value: str
    expires_at: float
    renew_at: float


class Tokens:
    """
    Keeps a token by logging in when needed. Requests that wait for a login share its outcome, including an error. The
    next request tries again.
    """

    def __init__(
        self,
        login: Callable[[], LoginRequest],
        timeout: float,
        clock: Callable[[], float],
        expiry: ExpiryWarning,
        api_key: str | None = None,
    ) -> None:
        self._api_key = api_key
        self._login = login
        self._expiry = expiry
        self._timeout = timeout
        self._clock = clock
        self._current: _Token | None = None
        self._ended = 0
        """Number of finished logins."""
        self._failure: CertdataError | None = None

    def get(self) -> Flow[str]:
        """Return a valid token."""
        while True:
            current, ended, now = self._current, self._ended, self._clock()
            if current and now < current.renew_at:
                return current.value
            is_needed = current is None or now >= current.expires_at
            try:
                token: _Token | None = yield LogIn(lambda ended=ended: self._log_in(ended), is_needed)  # type: ignore[misc]
            except CertdataError:
                if is_needed:
                    raise
                token = None
            yield from self._expiry.warn()
            if token or (current and not is_needed):
                return (token or current).value  # type: ignore[union-attr]

    def drop(self, value: str) -> None:
        """Mark this token as refused, so that the next `get` returns another."""
        if self._current and self._current.value == value:
            self._current = None

    def _log_in(self, ended: int) -> Flow[_Token | None]:
        if self._ended != ended:
            # Another login ended while this one waited for its turn.
            if self._failure:
                raise self._failure
            return self._current
        try:
            self._current, key = yield from self._fetch(self._login())
        except CertdataError as error:
            self._failure = error
            self._ended += 1
            raise
        self._expiry.check(key)
        self._failure = None
        self._ended += 1
        return self._current

    def rotate(self, store: Callable[[str], object], repeat: Repeat) -> Flow[KeySummary]:
        """
        Exchange the API key for a new one. Run it as a login, so that no other rotation runs. The new key is stored
        before its first login, which completes the rotation. An exchange may be repeated: it replaces the pending key.
        """
        current = self._api_key
        if current is None:
            raise ValueError("only a client with an API key rotates it")
        made: RotatedKey = yield from repeat(_EXCHANGE, lambda: self._post(key_exchange(current)))
        fresh = made["api_key"]
        yield Tell(lambda: store(fresh))
        self._current, used = yield from repeat(_LOGIN, lambda: self._fetch(key_login(fresh)))
        self._expiry.begin(used)
        self._api_key = fresh
        self._login = lambda: key_login(fresh)
        return used or made["key"]

    def _post(self, request: LoginRequest) -> Flow[Any]:
        target, media_type, content = request
        headers = {"content-type": media_type, "accept": "application/json"}
        reply = yield Send("POST", target, headers, self._timeout, content)
        if reply.status != 200:
            raise read_problem(reply.status, reply.headers, reply.body)
        return json.loads(reply.body)

    def _fetch(self, request: LoginRequest) -> Flow[tuple[_Token, KeySummary | None]]:
        # Counted from the request, because the token was issued later.
        asked_at = self._clock()
        answer = yield from self._post(request)
        life: float = answer["expires_in"]
        ahead = min(_RENEW_AHEAD, life * _RENEW_AHEAD_PART)
        token = _Token(answer["access_token"], asked_at + life, asked_at + life - ahead)
        return token, answer.get("key")


class FixedToken:
    """A token that is never renewed."""

    def __init__(self, value: str) -> None:
        self._value = value

    def get(self) -> Flow[str]:
        """Return the token."""
        return self._value
        yield

    def drop(self, value: str) -> None:
        """Do nothing: the token cannot be replaced."""
