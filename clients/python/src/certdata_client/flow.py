"""
What a client does, apart from how it waits and sends.

A flow is a generator. It yields what it wants done, and is sent the outcome. `Client` does it with threads,
`AsyncClient` with a loop. So each rule is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from threading import Event
from typing import Any, TypeVar

import httpx

T = TypeVar("T")


@dataclass(frozen=True)
class Send:
    """Send this and return a `Reply`. Raise ConnectionFault if no complete answer arrives."""

    method: str
    target: str
    """Path and query."""
    headers: dict[str, str]
    timeout: float
    content: bytes | None = None
    is_stream: bool = False
    """Leave the body of a good answer unread, in `Reply.response`."""


@dataclass(frozen=True)
class Reply:
    """An answer, with its body unless it is a stream."""

    status: int
    headers: httpx.Headers
    body: bytes = b""
    response: httpx.Response | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Pause:
    """Wait so many seconds, or until `stop` is set."""

    seconds: float
    stop: Event | None = None


@dataclass(frozen=True)
class LogIn:
    """
    Run the flow that `begin` returns while nobody else does, and return its outcome. Unless `is_needed`, return None at
    once where somebody else does.
    """

    begin: Callable[[], Flow[Any]]
    is_needed: bool


@dataclass(frozen=True)
class Tell:
    """Call this, and return what it returns. Its errors are the caller's and end the flow."""

    call: Callable[[], object]


@dataclass(frozen=True)
class TakeState:
    """Give the lines of a stream to `take`. Return the fault of the stream, or None. Close the stream."""

    reply: Reply
    take: Callable[[Any], object]


Effect = Send | Pause | LogIn | Tell | TakeState
Flow = Generator[Effect, Any, T]
