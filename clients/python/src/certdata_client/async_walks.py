"""Lists over all pages, and exports, for a loop."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any, cast

from .async_streams import read_lines
from .change_stream import ChangeStream
from .core import LINES, next_query
from .errors import ConnectionFault
from .follow import changes_query, read_page
from .options import connection_faults
from .query import Query
from .types import Changes

if TYPE_CHECKING:
    from .async_client import AsyncClient


async def walk_pages(client: AsyncClient, path: str, query: object, fresh: bool = False) -> AsyncIterator[Any]:
    """Yield every page. Request the next one only when it is needed."""
    asked: Query | None = cast("Query", query or {})
    while asked is not None:
        page = (await client.request(path, asked, fresh=fresh)).body
        yield page
        asked = next_query(asked, page)


async def walk_items(client: AsyncClient, path: str, query: object, fresh: bool = False) -> AsyncIterator[Any]:
    """Yield every item of all pages."""
    async for page in walk_pages(client, path, query, fresh):
        for item in page["data"]:
            yield item


async def walk_lines(client: AsyncClient, path: str, query: object) -> AsyncIterator[Any]:
    """Yield the lines of an export."""
    async with client.download(path, cast("Query | None", query), accept=LINES) as response:
        async for line in read_lines(response):
            yield line


async def walk_changes(client: AsyncClient, query: object) -> AsyncIterator[Changes]:
    """Yield pages of the feed until there are no more changes."""
    asked = changes_query(query)
    has_more = True
    while has_more:
        page = await client._run(read_page(client._core, asked))
        yield page
        asked["after"] = page["page"]["next_token"]
        has_more = page["page"]["has_more"]


async def stream_changes(client: AsyncClient, query: object) -> AsyncGenerator[Changes, None]:
    """Yield pages of the feed as they arrive, over one connection after another."""
    stream = ChangeStream(client._core, query)
    while response := await client._run(stream.connect()):
        async with aclosing(response):
            with suppress(ConnectionFault), connection_faults():
                stream.check(response.headers)
                async for piece in response.aiter_bytes():
                    for page in stream.read(piece):
                        yield page
