"""Executes the effects of flows with threads."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from threading import Lock
from types import TracebackType
from typing import Any, TypeVar, cast

import httpx
from typing_extensions import Self

from .core import Core
from .errors import CertdataError, ConnectionFault
from .flow import Effect, Flow, LogIn, Pause, Reply, Send, TakeState, Tell
from .options import LIMITS, connection_faults, reply_of, request_of
from .streams import State

T = TypeVar("T")


def require_plain(outcome: object) -> object:
    """Return the result of a caller's function. Raise TypeError for a coroutine, which nothing would run."""
    if inspect.iscoroutine(outcome):
        outcome.close()
        raise TypeError("Client calls plain functions only. AsyncClient takes coroutine functions")
    return outcome


class Driver:
    """Sends, waits and logs in. Threads may share it."""

    def __init__(self, origin: str, core: Core, transport: httpx.BaseTransport | None) -> None:
        self._origin = origin
        self._core = core
        self._login = Lock()
        self._http = httpx.Client(transport=transport, limits=LIMITS)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, flow: Flow[T]) -> T:
        try:
            effect = next(flow)
            while True:
                try:
                    outcome = self._do(effect)
                except CertdataError as error:
                    # The flow does not see errors of the caller's code.
                    if isinstance(effect, (Tell, TakeState)):
                        raise
                    effect = flow.throw(error)
                else:
                    effect = flow.send(outcome)
        except StopIteration as end:
            return cast(T, end.value)

    def _do(self, effect: Effect) -> Any:
        match effect:
            case Send():
                return self._send(effect)
            case Pause(seconds, stop):
                return stop.wait(seconds) if stop else time.sleep(seconds)
            case LogIn(begin, is_needed):
                if not self._login.acquire(blocking=is_needed):
                    return None
                try:
                    return self._run(begin())
                finally:
                    self._login.release()
            case Tell(call, on_error):
                try:
                    return require_plain(call())
                except Exception as error:
                    if on_error is None:
                        raise
                    return on_error(error)
            case TakeState(reply, take):
                return self._take_state(cast(httpx.Response, reply.response), take)

    def _send(self, send: Send) -> Reply:
        with connection_faults():
            response = self._http.send(request_of(self._http, self._origin, send), stream=True)
            is_open = send.is_stream and response.is_success
            if not is_open:
                try:
                    response.read()
                finally:
                    response.close()
            return reply_of(response, is_open)

    def _take_state(self, response: httpx.Response, take: Callable[[Any], object]) -> ConnectionFault | None:
        state = State(response)
        try:
            take(state)
        except Exception:
            if state.fault is None:
                raise
        finally:
            response.close()
        return state.fault
