"""The client for programs with threads, and for scripts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Lock
from types import TracebackType
from typing import Any, TypeVar, cast

import httpx

from . import types
from .cache import AnswerCache
from .core import Answer, origin_of
from .errors import CertdataError, ConnectionFault, SyncTokenExpired
from .flow import Effect, Flow, LogIn, Pause, Reply, Send, TakeState, Tell
from .follow import ChangeStore, Following, follow_changes
from .options import LIMITS, Options, connection_faults, reply_of, request_of
from .query import Query, encode_segment
from .resource import Resource
from .retry import Retry
from .streams import State

T = TypeVar("T")


class Client:
    """
    A client of one customer. It asks nothing before it is used, and keeps its connections open until `close`. Threads
    may share it.
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
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """
        Take where the service is, and either an API key or a ready token, the demo token for instance. `timeout` is in
        seconds, for each step of an attempt. `transport` replaces httpx's own, for example for a proxy.
        """
        self._origin = origin_of(url)
        self._core = Options(api_key, token, cache, retry or Retry(), timeout).core()
        self._login = Lock()
        self._http = httpx.Client(transport=transport, limits=LIMITS)
        self.certificates = Resource[
            types.Certificate,
            types.CertificatePage,
            types.CertificateAnswer,
            types.CertificatesQuery,
            types.CertificatesItemQuery,
        ](self, "certificates")
        self.products = Resource[
            types.Product,
            types.ProductPage,
            types.ProductAnswer,
            types.ProductsQuery,
            types.ProductsItemQuery,
        ](self, "products")
        self.projects = Resource[
            types.Project,
            types.ProjectPage,
            types.ProjectAnswer,
            types.ProjectsQuery,
            types.ProjectsItemQuery,
        ](self, "projects")
        self.countries = Resource[
            types.Country,
            types.CountryPage,
            types.CountryAnswer,
            types.CountriesQuery,
            types.CountriesItemQuery,
        ](self, "countries")
        self.lab = Resource[
            types.LabReport, types.LabReportPage, types.LabReportAnswer, types.LabQuery, types.LabItemQuery
        ](self, "lab")
        self.approvals = Resource[
            types.Approval,
            types.ApprovalPage,
            types.ApprovalAnswer,
            types.ApprovalsQuery,
            types.ApprovalsItemQuery,
        ](self, "approvals")

    def request(self, path: str, query: Query | None = None, *, fresh: bool = False) -> Answer[Any]:
        """Read any path, with the headers of its answer. `fresh`: it shows everything committed before."""
        return self._run(self._core.read(path, query, fresh))

    def custom(self, name: str, query: Query | None = None, *, fresh: bool = False) -> Any:
        """Read a custom endpoint; its shape is what was agreed on."""
        return self.request(f"/v1/custom/{encode_segment(name)}", query, fresh=fresh).body

    def me(self) -> types.MeData:
        """Return the customer, the plan, the scopes and the limits."""
        return cast(types.MeData, self.request("/v1/me").body["data"])

    @contextmanager
    def download(self, path: str, query: Query | None = None, *, accept: str = "*/*") -> Iterator[httpx.Response]:
        """Open the answer as a stream, for `format=csv` and other files. Reading raises where it breaks off."""
        response = cast(httpx.Response, self._run(self._core.open(path, query, accept)).response)
        with connection_faults():
            try:
                yield response
            finally:
                response.close()

    def follow(
        self,
        store: ChangeStore,
        *,
        resources: Sequence[str] | None = None,
        wait: int = 25,
        limit: int = 500,
        on_caught_up: Callable[[], object] | None = None,
        on_restart: Callable[[SyncTokenExpired], object] | None = None,
        stop: Event | None = None,
    ) -> None:
        """
        Keep a copy up to date until `stop` is set; a held poll ends within `wait` seconds (0 to 25). `on_restart` is
        told of the 410 after which the whole state is read anew.
        """
        following = Following(resources, wait, limit, on_caught_up, on_restart, stop)
        self._run(follow_changes(self._core, store, following))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Client:
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
                    # What the caller's own code raises is not the flow's to judge.
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
            case Tell(call):
                return call()
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
