"""The client for programs with a loop: asyncio or Trio."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, TypeVar, cast

import anyio
import httpx

from . import types
from .async_resource import AsyncResource
from .async_streams import State
from .cache import AnswerCache
from .core import Answer, origin_of
from .errors import CertdataError, ConnectionFault, SyncTokenExpired
from .flow import Effect, Flow, LogIn, Pause, Reply, Send, TakeState, Tell
from .follow import AsyncChangeStore, Following, follow_changes
from .options import LIMITS, Options, connection_faults, reply_of, request_of
from .query import Query, encode_segment
from .retry import Retry

T = TypeVar("T")


class AsyncClient:
    """
    A client of one customer. It asks nothing before it is used, and keeps its connections open until `close`. Tasks
    of one loop may share it.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        token: str | None = None,
        cache: AnswerCache | bool = True,
        retry: Retry | None = None,
        timeout: float = 30.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """
        Take where the service is, and either an API key or a ready token, the demo token for instance. `timeout` is in
        seconds, for each step of an attempt. `transport` replaces httpx's own, for example for a proxy.
        """
        self._origin = origin_of(url)
        self._core = Options(api_key, token, cache, retry or Retry(), timeout).core()
        self._login = anyio.Lock()
        self._http = httpx.AsyncClient(transport=transport, limits=LIMITS)
        self.certificates = AsyncResource[
            types.Certificate,
            types.CertificatePage,
            types.CertificateAnswer,
            types.CertificatesQuery,
            types.CertificatesItemQuery,
        ](self, "certificates")
        self.products = AsyncResource[
            types.Product,
            types.ProductPage,
            types.ProductAnswer,
            types.ProductsQuery,
            types.ProductsItemQuery,
        ](self, "products")
        self.projects = AsyncResource[
            types.Project,
            types.ProjectPage,
            types.ProjectAnswer,
            types.ProjectsQuery,
            types.ProjectsItemQuery,
        ](self, "projects")
        self.countries = AsyncResource[
            types.Country,
            types.CountryPage,
            types.CountryAnswer,
            types.CountriesQuery,
            types.CountriesItemQuery,
        ](self, "countries")
        self.lab = AsyncResource[
            types.LabReport, types.LabReportPage, types.LabReportAnswer, types.LabQuery, types.LabItemQuery
        ](self, "lab")
        self.approvals = AsyncResource[
            types.Approval,
            types.ApprovalPage,
            types.ApprovalAnswer,
            types.ApprovalsQuery,
            types.ApprovalsItemQuery,
        ](self, "approvals")

    async def request(self, path: str, query: Query | None = None, *, fresh: bool = False) -> Answer[Any]:
        """Read any path, with the headers of its answer. `fresh`: it shows everything committed before."""
        return await self._run(self._core.read(path, query, fresh))

    async def custom(self, name: str, query: Query | None = None, *, fresh: bool = False) -> Any:
        """Read a custom endpoint; its shape is what was agreed on."""
        return (await self.request(f"/v1/custom/{encode_segment(name)}", query, fresh=fresh)).body

    async def me(self) -> types.MeData:
        """Return the customer, the plan, the scopes and the limits."""
        return cast(types.MeData, (await self.request("/v1/me")).body["data"])

    @asynccontextmanager
    async def download(
        self, path: str, query: Query | None = None, *, accept: str = "*/*"
    ) -> AsyncIterator[httpx.Response]:
        """Open the answer as a stream, for `format=csv` and other files. Reading raises where it breaks off."""
        reply = await self._run(self._core.open(path, query, accept))
        response = cast(httpx.Response, reply.response)
        with connection_faults():
            try:
                yield response
            finally:
                await response.aclose()

    async def follow(
        self,
        store: AsyncChangeStore,
        *,
        resources: Sequence[str] | None = None,
        wait: int = 25,
        limit: int = 500,
        on_caught_up: Callable[[], object] | None = None,
        on_restart: Callable[[SyncTokenExpired], object] | None = None,
    ) -> None:
        """
        Keep a copy up to date until the task is cancelled. `wait` is the seconds for which an empty answer is held (0
        to 25). `on_restart` is told of the 410 after which the whole state is read anew.
        """
        following = Following(resources, wait, limit, on_caught_up, on_restart)
        await self._run(follow_changes(self._core, store, following))

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
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
                    # What the caller's own code raises is not the flow's to judge.
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
            case Tell(call):
                outcome = call()
                return await outcome if inspect.isawaitable(outcome) else outcome
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
