"""Executes the effects of flows with a loop: asyncio or Trio."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, TypeVar, cast

import anyio
import httpx
from typing_extensions import Self

from .async_streams import State
from .core import Core
from .errors import CertdataError, ConnectionFault
from .flow import Effect, Flow, LogIn, Pause, Reply, Send, TakeState, Tell
from .options import LIMITS, connection_faults, reply_of, request_of

T = TypeVar("T")


class AsyncDriver:
    """Sends, waits and logs in. Tasks of one loop may share it."""

    def __init__(self, origin: str, core: Core, transport: httpx.AsyncBaseTransport | None) -> None:
        self._origin = origin
        self._core = core
        self._login = anyio.Lock()
        self._http = httpx.AsyncClient(transport=transport, limits=LIMITS)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _run(self, flow: Flow[T]) -> T:
        try:
            effect = next(flow)
            while True:
                try:
                    outcome = await self._do(effect)
                except CertdataError as error:
                    # The flow does not see errors of the caller's code.
                    if isinstance(effect, (Tell, TakeState)):
                        raise
                    effect = flow.throw(error)
                else:
                    effect = flow.send(outcome)
        except StopIteration as end:
            return cast(T, end.value)

    async def _do(self, effect: Effect) -> Any:
        match effect:
            case Send():
                return await self._send(effect)
            case Pause(seconds):
                return await anyio.sleep(seconds)
            case LogIn(begin, is_needed):
                if self._login.locked() and not is_needed:
                    return None
                async with self._login:
                    return await self._run(begin())
            case Tell(call, on_error):
                try:
                    outcome = call()
                    return await outcome if inspect.isawaitable(outcome) else outcome
                except Exception as error:
                    if on_error is None:
                        raise
                    return on_error(error)
            case TakeState(reply, take):
                return await self._take_state(cast(httpx.Response, reply.response), take)

    async def _send(self, send: Send) -> Reply:
        with connection_faults():
            response = await self._http.send(request_of(self._http, self._origin, send), stream=True)
            is_open = send.is_stream and response.is_success
            if not is_open:
                try:
                    await response.aread()
                finally:
                    await response.aclose()
            return reply_of(response, is_open)

    async def _take_state(self, response: httpx.Response, take: Callable[[Any], object]) -> ConnectionFault | None:
        state = State(response)
        try:
            await cast("Awaitable[None]", take(state))
        except Exception:
            if state.fault is None:
                raise
        finally:
            await response.aclose()
        return state.fault
