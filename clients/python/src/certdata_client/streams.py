"""Lines of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import httpx

from .errors import ConnectionFault
from .options import connection_faults
from .types import Change


def read_lines(response: httpx.Response) -> Iterator[Any]:
    """Yield the parsed lines. Raise ConnectionFault if the stream breaks off."""
    with connection_faults():
        for line in response.iter_lines():
            if line:
                yield json.loads(line)


class State(Iterator[Change]):
    """The lines of a state, and the fault of the stream if it failed."""

    def __init__(self, response: httpx.Response) -> None:
        self._lines = read_lines(response)
        self.fault: ConnectionFault | None = None

    def __next__(self) -> Change:
        try:
            return cast(Change, next(self._lines))
        except ConnectionFault as fault:
            self.fault = fault
            raise
