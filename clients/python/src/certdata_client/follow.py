"""Keeping a copy up to date by the change feed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import Any, Protocol, cast

from typing_extensions import TypedDict

from .core import Core
from .errors import CertdataError, ConnectionFault, SyncTokenExpired
from .flow import Flow, TakeState, Tell
from .query import Query, format_query
from .retry import Retry, RetryEvent, require_transient, wait_before
from .types import Change, Changes

PATH = "/v1/changes"


class ChangeStore(Protocol):
    """
    Your copy. Each call must be atomic and include the token: a database transaction. A call that raises ends `follow`
    and must leave the copy unchanged.
    """

    def load_token(self) -> str | None:
        """Return the token of the last call that succeeded. None if there is no copy yet."""

    def replace_all(self, state: Iterator[Change], token: str) -> None:
        """Replace the copy by the whole state. If `state` raises, keep the copy and raise."""

    def apply(self, changes: Sequence[Change], token: str) -> None:
        """Apply changes in this order. A deletion of an unknown record is no error."""


class AsyncChangeStore(Protocol):
    """`ChangeStore` for a loop."""

    def load_token(self) -> Awaitable[str | None]:
        """See `ChangeStore.load_token`."""

    def replace_all(self, state: AsyncIterator[Change], token: str) -> Awaitable[None]:
        """See `ChangeStore.replace_all`."""

    def apply(self, changes: Sequence[Change], token: str) -> Awaitable[None]:
        """See `ChangeStore.apply`."""


class FollowOptions(TypedDict, total=False):
    """The options of `follow`."""

    resources: Sequence[str] | None
    """Defaults to all resources that the key may read."""
    filter: Query | None
    """Only records that meet these conditions, for example `{"validity": "valid"}`. Needs one resource."""
    fields: Sequence[str] | None
    """Only these fields of each record. Needs one resource."""
    previous: bool | None
    """Whether each change contains the earlier values of the changed fields."""
    wait: int
    """Seconds for which the service holds an empty answer, 0 to 25. Defaults to 25."""
    limit: int
    """Changes per page. Defaults to 500."""
    on_caught_up: Callable[[], object] | None
    """Called each time the copy has reached the state of the service's answer."""
    on_restart: Callable[[SyncTokenExpired], object] | None
    """Called with the 410 before the whole state is read again."""


@dataclass(frozen=True)
class Following:
    """The options of one call; see `FollowOptions`."""

    resources: Sequence[str] | None = None
    filter: Query | None = None
    fields: Sequence[str] | None = None
    previous: bool | None = None
    wait: int = 25
    limit: int = 500
    on_caught_up: Callable[[], object] | None = None
    on_restart: Callable[[SyncTokenExpired], object] | None = None
    stop: Event | None = None
    until_caught_up: bool = False

    @property
    def selection(self) -> dict[str, object]:
        """The selection that a token contains. With it, the service refuses a token of another selection."""
        return {"resources": self.resources, **(self.filter or {}), "fields": self.fields}

    @property
    def is_stopped(self) -> bool:
        """Whether the caller has set `stop`."""
        return self.stop is not None and self.stop.is_set()


def changes_query(query: object) -> dict[str, object]:
    """Return a query of the feed. Raise ValueError for the whole state, which is a stream."""
    asked = dict(cast("Query", query or {}))
    if asked.get("after") == "snapshot":
        raise ValueError("The whole state is a stream: use follow or catch_up")
    return asked


def read_page(core: Core, query: Query, retry: Retry | None = None) -> Flow[Changes]:
    """Read a page of the feed. The time limit includes the time that the service may hold it."""
    wait = int(str(query.get("wait") or 0))
    answer = yield from core.read(PATH, query, retry=retry, timeout=core.timeout + wait)
    return cast(Changes, answer.body)


def _read_state(core: Core, store: Any, following: Following) -> Flow[str]:
    query = {"after": "snapshot", **following.selection}
    reply = yield from core.open(PATH, query, retry=replace(core.retry, retries=0))
    token: str | None = reply.headers.get("sync-token")
    if token is None:
        raise ConnectionFault("The state came without a Sync-Token: does a proxy remove it?")
    fault = yield TakeState(reply, lambda state: store.replace_all(state, token))
    if fault:
        raise fault
    return token


def _read_changes(core: Core, store: Any, following: Following, token: str, wait: int) -> Flow[tuple[str, bool]]:
    given = {"previous": following.previous, "limit": following.limit, "wait": wait}
    query = {"after": token, **following.selection, **given}
    answer = yield from read_page(core, query, replace(core.retry, retries=0))
    changes, page = answer["data"], answer["page"]
    if page["next_token"] != token or changes:
        yield Tell(lambda: store.apply(changes, page["next_token"]))
    return page["next_token"], not page["has_more"]


def follow_changes(core: Core, store: Any, following: Following) -> Flow[None]:
    """
    Read the whole state first, then follow changes by long polls, until `stop` is set or the copy is up to date. After
    410, start again. Wait and retry after errors of quota, network or service. Raise any other refusal, and any error
    of the store.
    """
    token: str | None = yield Tell(store.load_token)
    is_caught_up = False
    failures = 0
    while not following.is_stopped:
        try:
            if token is None:
                token = yield from _read_state(core, store, following)
                is_caught_up = False
            else:
                # Does not wait while older changes remain.
                wait = following.wait if is_caught_up else 0
                token, is_caught_up = yield from _read_changes(core, store, following, token, wait)
            failures = 0
        except SyncTokenExpired as expired:
            token = None
            if following.on_restart:
                yield Tell(lambda error=expired: following.on_restart(error))  # type: ignore[misc]
            continue
        except CertdataError as error:
            seconds = wait_before(failures + 1, require_transient(error), core.retry)
            failures += 1
            path = f"{PATH}{format_query({'after': token or 'snapshot', **following.selection})}"
            event = RetryEvent(path, failures, seconds, error)
        else:
            if is_caught_up and following.on_caught_up:
                yield Tell(following.on_caught_up)
            if is_caught_up and following.until_caught_up:
                return
            continue
        yield from core.pause(event, following.stop)
