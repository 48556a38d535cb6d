"""The feed over a connection that stays."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import httpx
import pytest
from both import Face, open_face
from door import open_door
from script import Answer, refusal, start_script
from service import ROOT, Service
from test_follow import customer_of

from certdata_client import ApiError, AsyncClient, CertdataError, Client, Retry, SyncTokenExpired

pytestmark = pytest.mark.anyio
LIMIT = 30
QUICK = Retry(first_delay=0.02)
EVENTS = {"content-type": "text/event-stream"}


def page_event(token: str) -> str:
    return f'id: {token}\ndata: {{"data":[],"page":{{"has_more":false,"next_token":"{token}"}}}}\n\n'


def events(text: str) -> Answer:
    """A stream that ends."""
    return {"headers": EVENTS, "body": text}


def open_stream(text: str, left: threading.Event) -> Answer:
    """Return a stream that continues until the client leaves, which sets `left`."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        handler.wfile.write(text.encode())
        handler.wfile.flush()
        handler.connection.settimeout(LIMIT)
        try:
            while handler.connection.recv(1024):
                pass
        except ConnectionError:
            pass
        left.set()
        handler.close_connection = True

    return answer


async def until(what: str, holds: Callable[[], bool]) -> None:
    """Wait until it holds."""
    deadline = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < deadline, f"never: {what}"
        await anyio.sleep(0.01)


@asynccontextmanager
async def reading(face: Face, query: Any, end: Callable[[], None]) -> AsyncIterator[list[Any]]:
    """Read a stream in the meantime. `end` cuts the connection, so that a thread does not wait for a sign of life."""
    pages: list[Any] = []
    stop = threading.Event()

    async def read() -> None:
        if face.is_async:
            async for page in face.client.stream_changes(query):
                pages.append(page)
        else:
            await anyio.to_thread.run_sync(lambda: pages.extend(face.client.stream_changes(query, stop=stop)))

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        yield pages
        stop.set()
        if face.is_async:
            group.cancel_scope.cancel()
        end()


def names_of(pages: list[Any]) -> list[str]:
    return [change["data"]["name"] for page in pages for change in page["data"] if change["data"]]


async def test_each_change_arrives_once_however_often_the_connection_is_cut(
    service: Service, kind: str, tmp_path: Path
) -> None:
    customer = f"stream-{kind.lower()}"
    lines = (ROOT / "examples/records.ndjson").read_text().splitlines()
    record = next(each for each in map(json.loads, lines) if each["id"] == "P-100")

    def rename(name: str) -> None:
        (tmp_path / "records.ndjson").write_text(json.dumps({**record, "customer": customer, "name": name}) + "\n")
        service.certdata("import", str(tmp_path / "records.ndjson"))

    key = await anyio.to_thread.run_sync(customer_of, service, customer)
    with open_door(int(service.environment["PORT"])) as door:
        async with open_face(kind, door.url, api_key=key, retry=QUICK) as face:
            async with reading(face, {"resources": ["products"], "fields": ["name"]}, door.cut) as pages:
                await until("it began", lambda: len(pages) == 1)
                await anyio.to_thread.run_sync(rename, "One")
                await until("the first change", lambda: names_of(pages) == ["One"])
                door.cut()
                await anyio.to_thread.run_sync(rename, "Two")
                await until("the second change", lambda: "Two" in names_of(pages))
                # The service ends streams cleanly, and is unreachable for a while.
                await anyio.to_thread.run_sync(service.restart)
                await anyio.to_thread.run_sync(rename, "Three")
                await until("the third change", lambda: "Three" in names_of(pages))
            assert names_of(pages) == ["One", "Two", "Three"]
            assert all(set(change["data"]) == {"id", "name"} for page in pages for change in page["data"])
        await until("no connection is left", lambda: door.connections == 0)


async def test_a_refused_query_ends_it_at_once(service: Service, kind: str) -> None:
    async with open_face(kind, service.url, api_key=service.api_key, retry=QUICK) as face:
        with pytest.raises(ApiError) as caught:
            await face.collect("stream_changes", {"after": "x"})
        assert caught.value.code == "invalid_sync_token"
        with pytest.raises(ApiError) as caught:
            await face.collect("stream_changes", {"wait": 5})
        assert caught.value.code == "invalid_query"
        with pytest.raises(ValueError, match="use follow or catch_up"):
            await face.collect("stream_changes", {"after": "snapshot"})


async def test_when_its_token_has_expired_it_logs_in_again(kind: str) -> None:
    def token(n: int) -> Answer:
        return {"body": {"access_token": f"a{n}", "token_type": "Bearer", "expires_in": 3600, "scope": ""}}

    expired = refusal(401, "token_expired")
    answers = [token(1), events(f"retry: 1\n{page_event('t1')}"), expired, token(2), events(page_event("t2"))]
    pages: list[Any] = []
    with start_script(answers) as script:
        async with open_face(kind, script.url, api_key="x", retry=QUICK) as face:
            with pytest.raises(CertdataError, match="internal_error"):
                await face.collect("stream_changes", into=pages)
        assert [page["page"]["next_token"] for page in pages] == ["t1", "t2"]
        sent = [(target, headers.get("authorization")) for target, headers in script.asked]
        path = "/v1/changes"
        assert sent == [
            ("/v1/auth/login", None),
            (path, "Bearer a1"),
            (f"{path}?after=t1", "Bearer a1"),
            ("/v1/auth/login", None),
            (f"{path}?after=t1", "Bearer a2"),
            (f"{path}?after=t2", "Bearer a2"),
        ]


async def test_it_waits_as_the_service_asks_and_longer_after_each_failure(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("random.random", lambda: 1.0)
    busy = refusal(503, "unavailable", **{"retry-after": "1"})
    failing = refusal(502, "unavailable")
    answers = [events(f"retry: 300\n{page_event('t1')}"), busy, failing, failing]
    with start_script(answers) as script:
        async with open_face(kind, script.url, token="x", retry=Retry(first_delay=0.04)) as face:
            with pytest.raises(CertdataError, match="500"):
                await face.collect("stream_changes")
        waits = [later - earlier for earlier, later in pairwise(script.times)]
    shortest = [0.3 + 0.04, 0.3 + 1, 0.3 + 4 * 0.04, 0.3 + 8 * 0.04]
    assert len(waits) == len(shortest)
    assert all(wait >= least for wait, least in zip(waits, shortest, strict=True))


async def test_a_token_that_is_too_old_and_an_answer_that_is_no_stream_end_it(kind: str) -> None:
    with start_script([refusal(410, "sync_token_expired"), {"body": {"data": []}}]) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK) as face:
            with pytest.raises(SyncTokenExpired):
                await face.collect("stream_changes", {"after": "t0"})
            with pytest.raises(CertdataError, match="not as events"):
                await face.collect("stream_changes", {"after": "t0"})
        assert len(script.asked) == 2


def test_it_takes_a_silence_of_15_s_and_the_time_of_a_request() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.extensions["timeout"]["read"])
        if len(seen) == 1:
            raise httpx.ReadTimeout("silent")
        return httpx.Response(500)

    seen: list[float] = []
    transport: Any = httpx.MockTransport(answer)
    with Client("http://localhost", token="x", timeout=7, retry=QUICK, transport=transport) as client:
        with pytest.raises(CertdataError):
            list(client.stream_changes())
    assert seen == [22, 22]


def test_leaving_the_loop_closes_the_connection() -> None:
    left = [threading.Event() for _ in range(2)]
    with start_script([open_stream(page_event("t1"), each) for each in left]) as script:
        with Client(script.url, token="x") as client:
            for page in client.stream_changes():
                assert page["page"]["next_token"] == "t1"
                break
            assert left[0].wait(LIMIT)
            pages = client.stream_changes()
            next(pages)
            pages.close()
            assert left[1].wait(LIMIT)


def test_stop_ends_it_between_pages_at_a_sign_of_life_and_in_a_wait() -> None:
    stop, left = threading.Event(), threading.Event()
    with start_script([open_stream(page_event("t1") + page_event("t2"), left)]) as script:
        with Client(script.url, token="x") as client:
            pages = []
            for page in client.stream_changes(stop=stop):
                pages.append(page)
                stop.set()
            assert len(pages) == 1
            assert left.wait(LIMIT)

    def breathing(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        handler.close_connection = True
        try:
            while True:
                handler.wfile.write(b":\n\n")
                handler.wfile.flush()
                quiet.set()
        except OSError:
            gone.set()

    stop, quiet, gone = threading.Event(), threading.Event(), threading.Event()
    with start_script([breathing]) as script, Client(script.url, token="x") as client:
        reader = threading.Thread(target=lambda: list(client.stream_changes(stop=stop)))
        reader.start()
        assert quiet.wait(LIMIT)
        stop.set()
        reader.join(LIMIT)
        assert not reader.is_alive() and gone.wait(LIMIT)

    stop = threading.Event()

    def last(handler: BaseHTTPRequestHandler) -> None:
        stop.set()
        handler.close_connection = True

    long = Retry(first_delay=3600, max_delay=3600)
    with start_script([last]) as script, Client(script.url, token="x", retry=long) as client:
        assert list(client.stream_changes(stop=stop)) == []
        assert len(script.asked) == 1


async def test_closing_and_cancelling_close_the_connection_of_a_loop() -> None:
    left = [threading.Event() for _ in range(2)]
    with start_script([open_stream(page_event("t1"), each) for each in left]) as script:
        async with AsyncClient(script.url, token="x") as client:
            async with aclosing(client.stream_changes()) as pages:
                async for page in pages:
                    assert page["page"]["next_token"] == "t1"
                    break
            assert await anyio.to_thread.run_sync(left[0].wait, LIMIT)
            began = anyio.Event()

            async def read() -> None:
                async for _ in client.stream_changes():
                    began.set()

            async with anyio.create_task_group() as group:
                group.start_soon(read)
                await began.wait()
                group.cancel_scope.cancel()
            assert await anyio.to_thread.run_sync(left[1].wait, LIMIT)
