"""Lists and records of one kind, for a loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Generic, cast

from .async_streams import read_lines
from .core import LINES, ItemQueryT, ItemT, PageT, QueryT, RecordT, next_query
from .query import Query, encode_segment

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

    async def pages(self, query: QueryT | None = None, *, fresh: bool = False) -> AsyncIterator[PageT]:
        """Yield page after page, until there is no more."""
        asked: Query | None = cast("Query", query or {})
        while asked is not None:
            page = (await self._client.request(self._path, asked, fresh=fresh)).body
            yield cast(PageT, page)
            asked = next_query(asked, page)

    async def all(self, query: QueryT | None = None, *, fresh: bool = False) -> AsyncIterator[RecordT]:
        """Yield record after record, over all pages. Ask for the next page only when it is needed."""
        async for page in self.pages(query, fresh=fresh):
            for record in cast("dict[str, Iterable[RecordT]]", page)["data"]:
                yield record

    async def get(self, id: str, query: ItemQueryT | None = None, *, fresh: bool = False) -> ItemT:
        """Return one record. Raise NotFound if it does not exist."""
        path = f"{self._path}/{encode_segment(id)}"
        return cast(ItemT, (await self._client.request(path, cast("Query | None", query), fresh=fresh)).body)

    async def export(self, query: QueryT | None = None) -> AsyncIterator[RecordT]:
        """
        Yield record after record of the whole list, from one snapshot. Raise ConnectionFault where the stream breaks
        off: what came until then is not the whole. Costs ten units of the quota `minute`.
        """
        async with self._client.download(self._path, cast("Query | None", query), accept=LINES) as response:
            async for record in read_lines(response):
                yield record
