"""Lists and records of one kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Generic, cast

from .core import LINES, ItemQueryT, ItemT, PageT, QueryT, RecordT, next_query
from .query import Query, encode_segment
from .streams import read_lines

if TYPE_CHECKING:
    from .client import Client


class Resource(Generic[RecordT, PageT, ItemT, QueryT, ItemQueryT]):
    """The records of one kind."""

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self._path = f"/v1/{name}"

    def list(self, query: QueryT | None = None, *, fresh: bool = False) -> PageT:
        """Return one page."""
        return cast(PageT, self._client.request(self._path, cast("Query | None", query), fresh=fresh).body)

    def pages(self, query: QueryT | None = None, *, fresh: bool = False) -> Iterator[PageT]:
        """Yield page after page, until there is no more."""
        asked: Query | None = cast("Query", query or {})
        while asked is not None:
            page = self._client.request(self._path, asked, fresh=fresh).body
            yield cast(PageT, page)
            asked = next_query(asked, page)

    def all(self, query: QueryT | None = None, *, fresh: bool = False) -> Iterator[RecordT]:
        """Yield record after record, over all pages. Ask for the next page only when it is needed."""
        for page in self.pages(query, fresh=fresh):
            yield from cast("dict[str, Iterable[RecordT]]", page)["data"]

    def get(self, id: str, query: ItemQueryT | None = None, *, fresh: bool = False) -> ItemT:
        """Return one record. Raise NotFound if it does not exist."""
        path = f"{self._path}/{encode_segment(id)}"
        return cast(ItemT, self._client.request(path, cast("Query | None", query), fresh=fresh).body)

    def export(self, query: QueryT | None = None) -> Iterator[RecordT]:
        """
        Yield record after record of the whole list, from one snapshot. Raise ConnectionFault where the stream breaks
        off: what came until then is not the whole. Costs ten units of the quota `minute`.
        """
        with self._client.download(self._path, cast("Query | None", query), accept=LINES) as response:
            yield from read_lines(response)
