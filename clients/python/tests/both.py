"""One interface for both clients, so that each test of behaviour runs on both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
import httpx

from certdata_client import AsyncClient, Client


class Recording(httpx.HTTPTransport):
    """The real transport, which records path and status of each request."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, int]] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        self.seen.append((request.url.raw_path.decode(), response.status_code))
        return response


class AsyncRecording(httpx.AsyncHTTPTransport):
    """`Recording` for a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, int]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        self.seen.append((request.url.raw_path.decode(), response.status_code))
        return response


class Face:
    """Calls methods of a client by name: `call('certificates.list', {...})`."""

    def __init__(self, client: Any, transport: Recording | AsyncRecording, is_async: bool) -> None:
        self.client = client
        self.transport = transport
        self.is_async = is_async

    @property
    def logins(self) -> int:
        """How many logins were sent."""
        return sum(path == "/v1/auth/login" for path, _ in self.transport.seen)

    def _method(self, name: str) -> Callable[..., Any]:
        found = self.client
        for part in name.split("."):
            found = getattr(found, part)
        method: Callable[..., Any] = found
        return method

    async def call(self, name: str, *args: Any, **options: Any) -> Any:
        """Await a method, in a thread if it blocks."""
        method = self._method(name)
        if self.is_async:
            return await method(*args, **options)
        return await anyio.to_thread.run_sync(partial(method, *args, **options))

    async def collect(self, name: str, *args: Any, into: list[Any] | None = None, **options: Any) -> list[Any]:
        """Return all items of an iterating method. If it raises, `into` has the items before the error."""
        items: list[Any] = [] if into is None else into
        iterable = self._method(name)(*args, **options)
        if self.is_async:
            async for each in iterable:
                items.append(each)
        else:
            await anyio.to_thread.run_sync(lambda: items.extend(iterable))
        return items

    async def read(self, *args: Any, **options: Any) -> tuple[str, bytes]:
        """Return the type and the bytes of a download."""
        if self.is_async:
            async with self.client.download(*args, **options) as response:
                return response.headers["content-type"], await response.aread()

        def read() -> tuple[str, bytes]:
            with self.client.download(*args, **options) as response:
                return response.headers["content-type"], response.read()

        return await anyio.to_thread.run_sync(read)

    async def together(self, *calls: Callable[[], Awaitable[Any]]) -> list[Any]:
        """Run calls concurrently. Return their results or exceptions, in order."""
        outcomes: list[Any] = [None] * len(calls)

        async def run(index: int, call: Callable[[], Awaitable[Any]]) -> None:
            try:
                outcomes[index] = await call()
            except Exception as error:
                outcomes[index] = error

        async with anyio.create_task_group() as group:
            for index, call in enumerate(calls):
                group.start_soon(run, index, call)
        return outcomes


@asynccontextmanager
async def open_face(kind: str, url: str, **options: Any) -> AsyncIterator[Face]:
    """Open a client of this kind: `Client` or `AsyncClient`."""
    if kind == "AsyncClient":
        recording = AsyncRecording()
        async with AsyncClient(url, transport=recording, **options) as client:
            yield Face(client, recording, True)
    else:
        plain = Recording()
        with Client(url, transport=plain, **options) as blocking:
            yield Face(blocking, plain, False)
