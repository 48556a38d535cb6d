"""Lines of a stream, for a loop."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, cast

import httpx

from .errors import ConnectionFault
from .options import connection_faults
from .types import Change


async def read_lines(response: httpx.Response) -> AsyncIterator[Any]:
    """Yield the parsed lines. Raise ConnectionFault if the stream breaks off."""
    with connection_faults():
        async for line in response.aiter_lines():
            if line:
                yield json.loads(line)


class State(AsyncIterator[Change]):
    """The lines of a state, and the fault of the stream if it failed."""

    def __init__(self, response: httpx.Response) -> None:
        self._lines = read_lines(response)
        self.fault: ConnectionFault | None = None

    async def __anext__(self) -> Change:
        try:
            return cast(Change, await anext(self._lines))
        except ConnectionFault as fault:
            self.fault = fault
            raise
