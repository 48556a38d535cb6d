"""Lists and records of one kind, for a loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Generic, cast

from .async_walks import walk_items, walk_lines, walk_pages
from .core import ItemQueryT, ItemT, PageT, QueryT, RecordT, in_stable_order
from .query import Query, encode_segment
from .types import HistoryEntry, HistoryQuery

if TYPE_CHECKING:
    from .async_client import AsyncClient


class AsyncResource(Generic[RecordT, PageT, ItemT, QueryT, ItemQueryT]):
    """The records of one kind."""

    def __init__(self, client: AsyncClient, name: str) -> None:
        self._client = client
        self._path = f"/v1/{name}"

    async def list(self, query: QueryT | None = None, *, fresh: bool = False) -> PageT:
        """Return one page."""
        return cast(PageT, (await self._client.request(self._path, cast("Query | None", query), fresh=fresh)).body)

    def pages(self, query: QueryT | None = None, *, fresh: bool = False) -> AsyncIterator[PageT]:
        """Yield every page, sorted by id unless the query sorts."""
        return walk_pages(self._client, self._path, in_stable_order(cast("Query | None", query)), fresh)

    def all(self, query: QueryT | None = None, *, fresh: bool = False) -> AsyncIterator[RecordT]:
        """
        Yield every record of all pages, sorted by id unless the query sorts. Request the next page only when it is
        needed.
        """
        return walk_items(self._client, self._path, in_stable_order(cast("Query | None", query)), fresh)

    async def get(self, id: str, query: ItemQueryT | None = None, *, fresh: bool = False) -> ItemT:
        """Return one record. Raise NotFound if it does not exist."""
        path = f"{self._path}/{encode_segment(id)}"
        return cast(ItemT, (await self._client.request(path, cast("Query | None", query), fresh=fresh)).body)

    def history(self, id: str, query: HistoryQuery | None = None) -> AsyncIterator[HistoryEntry]:
        """Yield every change of one record, the newest first. Raise NotFound if the record never existed."""
        return walk_items(self._client, f"{self._path}/{encode_segment(id)}/history", query)

    def export(self, query: QueryT | None = None) -> AsyncIterator[RecordT]:
        """
        Yield every record of the list, from one snapshot. If it raises ConnectionFault because the stream breaks
        off, discard the records received so far. Costs ten units of the quota `minute`.
        """
        return walk_lines(self._client, self._path, query)
