"""
The logic of both clients, without waiting and sending.

A flow is a generator. It yields effects and receives their outcomes. `Client` executes effects with threads,
`AsyncClient` with a loop. Each rule is therefore written only once.
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
    """Leave the body of a successful answer unread, in `Reply.response`."""


@dataclass(frozen=True)
class Reply:
    """An answer, with its body unless it is a stream."""

    status: int
    headers: httpx.Headers
    body: bytes = b""
    response: httpx.Response | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Pause:
    """Wait this number of seconds, or until `stop` is set."""

    seconds: float
    stop: Event | None = None


@dataclass(frozen=True)
class LogIn:
    """
    Run the flow that `begin` returns, one at a time, and return its outcome. If another login is running and this one
    is not `is_needed`, return None immediately.
    """

    begin: Callable[[], Flow[Any]]
    is_needed: bool


@dataclass(frozen=True)
class Tell:
    """
    Call this function and return its result. Its errors go to `on_error`. Without it they go to the caller and end the
    flow.
    """

    call: Callable[[], object]
    on_error: Callable[[Exception], None] | None = None


@dataclass(frozen=True)
class TakeState:
    """Pass the lines of a stream to `take`. Return the fault of the stream, or None. Close the stream."""

    reply: Reply
    take: Callable[[Any], object]


Effect = Send | Pause | LogIn | Tell | TakeState
Flow = Generator[Effect, Any, T]
