"""Lists over all pages, and exports."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from threading import Event
from typing import TYPE_CHECKING, Any, cast

from .change_stream import ChangeStream
from .core import LINES, next_query
from .errors import ConnectionFault
from .follow import changes_query, read_page
from .options import connection_faults
from .query import Query
from .streams import read_lines
from .types import Changes

if TYPE_CHECKING:
    from .client import Client


def walk_pages(client: Client, path: str, query: object, fresh: bool = False) -> Iterator[Any]:
    """Yield every page. Request the next one only when it is needed."""
    asked: Query | None = cast("Query", query or {})
    while asked is not None:
        page = client.request(path, asked, fresh=fresh).body
        yield page
        asked = next_query(asked, page)


def walk_items(client: Client, path: str, query: object, fresh: bool = False) -> Iterator[Any]:
    """Yield every item of all pages."""
    for page in walk_pages(client, path, query, fresh):
        yield from page["data"]


def walk_lines(client: Client, path: str, query: object) -> Iterator[Any]:
    """Yield the lines of an export."""
    with client.download(path, cast("Query | None", query), accept=LINES) as response:
        yield from read_lines(response)


def walk_changes(client: Client, query: object) -> Iterator[Changes]:
    """Yield pages of the feed until there are no more changes."""
    asked = changes_query(query)
    has_more = True
    while has_more:
        page = client._run(read_page(client._core, asked))
        yield page
        asked["after"] = page["page"]["next_token"]
        has_more = page["page"]["has_more"]


def stream_changes(client: Client, query: object, stop: Event | None) -> Generator[Changes, None, None]:
    """Yield pages of the feed as they arrive, over one connection after another."""
    stream = ChangeStream(client._core, query, stop)
    while response := client._run(stream.connect()):
        with closing(response), suppress(ConnectionFault), connection_faults():
            stream.check(response.headers)
            for piece in response.iter_bytes():
                yield from stream.read(piece)
                if stream.is_stopped:
                    return
