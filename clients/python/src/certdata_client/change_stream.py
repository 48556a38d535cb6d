"""The change feed over a connection that stays open: the part that both clients share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from threading import Event
from typing import cast

import httpx

from .core import Core
from .errors import CertdataError
from .events import EventParser
from .flow import Flow
from .follow import PATH, changes_query
from .query import format_query
from .retry import Failure, RetryEvent, require_transient, wait_before
from .types import Changes

_MEDIA_TYPE = "text/event-stream"
_HEARTBEAT = 15.0
"""Seconds. The service sends at least a comment in this interval."""


class ChangeStream:
    """A reader of the feed. Each connection continues at the position of the last one."""

    def __init__(self, core: Core, query: object, stop: Event | None = None) -> None:
        self._core = core
        self._query = changes_query(query)
        self._stop = stop
        self._parser = EventParser()
        self._reconnect = 0.0
        """Seconds to wait before the next connection, sent by the service."""
        self._attempts = 0
        """Connections since the last page, including its connection."""

    @property
    def is_stopped(self) -> bool:
        """Whether the caller has set `stop`."""
        return self._stop is not None and self._stop.is_set()

    def connect(self) -> Flow[httpx.Response | None]:
        """
        Connect: the first time immediately, later after the wait that the service sends, and longer after consecutive
        failures. Return None if the caller has set `stop`. Raise a refusal that waiting cannot cure.
        """
        retry, failure = self._core.retry, Failure()
        fault: CertdataError | None = None
        while True:
            if self._attempts:
                seconds = min(self._reconnect, retry.max_delay) + wait_before(self._attempts, failure, retry)
                event = RetryEvent(f"{PATH}{format_query(self._query)}", self._attempts, seconds, fault)
                yield from self._core.pause(event, self._stop)
            if self.is_stopped:
                return None
            self._attempts += 1
            opening = self._core.open(
                PATH,
                self._query,
                _MEDIA_TYPE,
                retry=replace(retry, retries=0),
                timeout=self._core.timeout + _HEARTBEAT,
            )
            try:
                reply = yield from opening
            except CertdataError as error:
                failure, fault = require_transient(error), error
            else:
                self._parser = EventParser()
                return cast(httpx.Response, reply.response)

    def check(self, headers: httpx.Headers) -> None:
        """Raise CertdataError unless the answer is a stream of events."""
        given = headers.get("content-type", "")
        if given.split(";")[0].strip().lower() != _MEDIA_TYPE:
            raise CertdataError(f'The changes came as "{given}", not as events: does a proxy change them?')

    def read(self, piece: bytes) -> Iterator[Changes]:
        """Yield the pages that end in these bytes."""
        events, parser = self._parser.push(piece), self._parser
        if parser.last_event_id:
            self._query["after"] = parser.last_event_id
        if parser.retry_ms is not None:
            self._reconnect = parser.retry_ms / 1000
        for event in events:
            if self.is_stopped:
                return
            # Other event types may be added.
            if event.type == "message":
                self._attempts = 1
                yield cast(Changes, json.loads(event.data))
