"""Requests: token, ETag, retries, and errors from answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event
from typing import Any, Generic, cast

import httpx
from typing_extensions import TypeVar

from .cache import AnswerCache, Kept
from .errors import ApiError, CertdataError, read_problem
from .flow import Flow, LogIn, Pause, Reply, Send, Tell
from .query import Query, format_query
from .retry import OnRetry, Retry, RetryEvent, decide_retry, failure_of
from .tokens import FixedToken, Tokens
from .types import KeySummary
from .webhooks import WebhookVerifier

T = TypeVar("T", default=Any)
RecordT = TypeVar("RecordT")
PageT = TypeVar("PageT")
ItemT = TypeVar("ItemT")
QueryT = TypeVar("QueryT")
ItemQueryT = TypeVar("ItemQueryT")

_REFUSED_TOKENS = frozenset({"token_expired", "token_revoked", "invalid_token"})
LINES = "application/x-ndjson"


@dataclass(frozen=True)
class Answer(Generic[T]):
    """A JSON answer with its headers."""

    body: T
    headers: httpx.Headers
    not_modified: bool
    """The service confirmed that the cached body is still current."""


def next_query(query: Query | None, page: Mapping[str, Any]) -> dict[str, object] | None:
    """Return the query of the next page. None after the last one."""
    cursor = page["page"]["next_cursor"]
    return None if cursor is None else {**(query or {}), "cursor": cursor}


def in_stable_order(query: Query | None) -> Query:
    """
    Sort by id unless the caller sorts. A record whose sort key changes between two pages is missed or seen twice.
    A cursor belongs to the sort with which it was issued.
    """
    given = query or {}
    is_open = given.get("sort") is None and given.get("cursor") is None
    return {**given, "sort": "id"} if is_open else given


class Core:
    """The flows of one customer's requests."""

    def __init__(
        self,
        tokens: Tokens | FixedToken,
        cache: AnswerCache | None,
        retry: Retry,
        timeout: float,
        on_retry: OnRetry | None = None,
    ) -> None:
        self._tokens = tokens
        self._cache = cache
        self.retry = retry
        self.timeout = timeout
        self._on_retry = on_retry
        self.webhooks = WebhookVerifier(self)

    def read(
        self,
        path: str,
        query: Query | None = None,
        fresh: bool = False,
        retry: Retry | None = None,
        timeout: float | None = None,
    ) -> Flow[Answer[Any]]:
        """Read a JSON answer."""
        target = f"{path}{format_query(query)}"
        limit = timeout or self.timeout
        return self._repeat(target, lambda: self._read_once(target, fresh, limit), retry or self.retry)

    def open(
        self,
        path: str,
        query: Query | None = None,
        accept: str = LINES,
        fresh: bool = False,
        retry: Retry | None = None,
        timeout: float | None = None,
    ) -> Flow[Reply]:
        """Open a stream. Retry its beginning only: the reader handles a stream that breaks off."""
        target = f"{path}{format_query(query)}"
        headers = self._headers(accept, fresh, None)
        limit = timeout or self.timeout
        opening = lambda: self._send(target, headers, limit, is_stream=True)  # noqa: E731
        return self._repeat(target, opening, retry or self.retry)

    def rotate_key(self, store: Callable[[str], object]) -> Flow[KeySummary]:
        """Exchange the API key for a new one, which is passed to `store` before it is used."""
        tokens = self._tokens
        if isinstance(tokens, FixedToken):
            raise ValueError("only a client with an API key rotates it")
        repeat = lambda path, attempt: self._repeat(path, attempt, self.retry)  # noqa: E731
        return cast("KeySummary", (yield LogIn(lambda: tokens.rotate(store, repeat), is_needed=True)))

    @staticmethod
    def _headers(accept: str, fresh: bool, etag: str | None) -> dict[str, str]:
        headers = {"accept": accept}
        if fresh:
            headers["cache-control"] = "no-cache"
        if etag is not None:
            headers["if-none-match"] = etag
        return headers

    def pause(self, event: RetryEvent, stop: Event | None = None) -> Flow[None]:
        """Report a retry to the hook, and wait, or until `stop` is set."""
        if call := self._on_retry:
            yield Tell(lambda: call(event))
        yield Pause(event.wait, stop)

    def _repeat(self, target: str, attempt: Callable[[], Flow[T]], retry: Retry) -> Flow[T]:
        n = 0
        while True:
            n += 1
            try:
                return (yield from attempt())
            except CertdataError as error:
                seconds = decide_retry("GET", n, failure_of(error), retry)
                if seconds is None:
                    raise
                event = RetryEvent(target, n, seconds, error)
            yield from self.pause(event)

    def _read_once(self, target: str, fresh: bool, timeout: float) -> Flow[Answer[Any]]:
        kept = self._cache.get(target) if self._cache else None
        headers = self._headers("application/json", fresh, kept.etag if kept else None)
        reply = yield from self._send(target, headers, timeout)
        if kept and reply.status == 304:
            return Answer(json.loads(kept.body), reply.headers, not_modified=True)
        etag = reply.headers.get("etag")
        if self._cache and etag is not None:
            self._cache.set(target, Kept(etag, reply.body))
        return Answer(json.loads(reply.body), reply.headers, not_modified=False)

    def _send(self, target: str, headers: dict[str, str], timeout: float, is_stream: bool = False) -> Flow[Reply]:
        """Send with a token. Replace a refused token once. If the new one is refused as well, raise that refusal."""
        refusal: ApiError | None = None
        while True:
            token = yield from self._tokens.get()
            authorized = {**headers, "authorization": f"Bearer {token}"}
            reply: Reply = yield Send("GET", target, authorized, timeout, is_stream=is_stream)
            if 200 <= reply.status < 300 or reply.status == 304:
                return reply
            error = read_problem(reply.status, reply.headers, reply.body)
            if error.code not in _REFUSED_TOKENS:
                raise error
            self._tokens.drop(token)
            if refusal or isinstance(self._tokens, FixedToken):
                raise error
            refusal = error
