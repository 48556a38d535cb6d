"""Errors of the network, the hook for retries, and proxies."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from both import open_face
from script import Answer, cut, drop, refusal, start_script

from certdata_client import ApiError, Client, ConnectionFault, Forbidden, Retry, RetryEvent

pytestmark = pytest.mark.anyio
ONCE = Retry(retries=0)
QUICK = Retry(first_delay=0.001)
NOW = {"retry-after": "0"}
OK: Answer = {"body": {"data": {}}}


def get_free_url() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


@contextmanager
def start_secure(folder: Path) -> Iterator[str]:
    """Listen with a certificate that nobody trusts."""
    cert, key = str(folder / "cert.pem"), str(folder / "key.pem")
    options = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run(["openssl", "req", *options, "-keyout", key, "-out", cert], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            try:
                with server.accept()[0] as plain, context.wrap_socket(plain, server_side=True):
                    pass
            except OSError:
                pass

        threading.Thread(target=accept, daemon=True).start()
        yield f"https://127.0.0.1:{server.getsockname()[1]}"


async def read_fault(kind: str, url: str, timeout: float = 30.0) -> ConnectionFault:
    async with open_face(kind, url, token="x", retry=ONCE, timeout=timeout) as face:
        with pytest.raises(ConnectionFault) as caught:
            await face.call("request", "/v1/me")
    return caught.value


async def test_a_fault_of_the_network_has_a_reason(kind: str, tmp_path: Path) -> None:
    refused = await read_fault(kind, get_free_url())
    assert refused.reason == "refused" and "nothing listens there" in str(refused)
    assert isinstance(refused.__cause__, httpx.ConnectError)
    assert (await read_fault(kind, "http://nowhere.invalid")).reason == "unresolved"
    with start_script([drop, cut]) as script:
        assert (await read_fault(kind, script.url)).reason == "incomplete"
        assert (await read_fault(kind, script.url)).reason == "incomplete"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert (await read_fault(kind, url, timeout=0.05)).reason == "timeout"
    with start_secure(tmp_path) as url:
        assert (await read_fault(kind, url)).reason == "certificate"


async def test_the_hook_gets_each_retry_before_its_wait(kind: str) -> None:
    events: list[RetryEvent] = []
    answers: list[Answer] = [drop, refusal(503, "unavailable", **NOW), OK]
    with start_script(answers) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK, on_retry=events.append) as face:
            await face.call("request", "/v1/products", {"limit": 3})
    assert [(event.path, event.attempt) for event in events] == [
        ("/v1/products?limit=3", 1),
        ("/v1/products?limit=3", 2),
    ]
    first, second = (event.error for event in events)
    assert isinstance(first, ConnectionFault) and first.reason == "incomplete"
    assert isinstance(second, ApiError) and second.status == 503
    assert all(event.wait >= 0 for event in events)


async def test_an_error_of_the_hook_ends_the_request(kind: str) -> None:
    def fail(_: RetryEvent) -> None:
        raise RuntimeError("enough")

    with start_script([drop] * 9) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK, on_retry=fail) as face:
            with pytest.raises(RuntimeError, match="enough"):
                await face.call("request", "/v1/me")
        assert len(script.asked) == 1


class Store:
    """A copy that continues at a token."""

    def load_token(self) -> str:
        return "st_1"

    def replace_all(self, state: object, token: str) -> None: ...

    def apply(self, changes: object, token: str) -> None: ...


@pytest.mark.parametrize("way", ["follow", "stream"])
def test_the_hook_gets_retries_of_a_copy_and_of_a_stream(way: str) -> None:
    events: list[RetryEvent] = []
    with start_script([drop, drop, refusal(403, "insufficient_scope")]) as script:
        with Client(script.url, token="x", retry=QUICK, on_retry=events.append) as client:
            with pytest.raises(Forbidden):
                if way == "follow":
                    client.follow(Store())
                else:
                    next(client.stream_changes({"after": "st_1"}))
    assert [(event.path, event.attempt) for event in events] == [("/v1/changes?after=st_1", n) for n in (1, 2)]


# A proxy receives the whole address as the target. Only it knows where the name leads.
def test_a_proxy_of_the_environment_and_of_a_transport_is_used() -> None:
    program = """
from certdata_client import Client
with Client("http://service.invalid", token="x") as client:
    client.request("/v1/me")
"""
    with start_script([OK, OK]) as proxy:
        env = {**os.environ, "HTTP_PROXY": proxy.url, "http_proxy": proxy.url, "NO_PROXY": "", "no_proxy": ""}
        subprocess.run([sys.executable, "-c", program], env=env, check=True)
        with Client("http://service.invalid", token="x", transport=httpx.HTTPTransport(proxy=proxy.url)) as client:
            client.request("/v1/me")
        assert proxy.targets == ["http://service.invalid/v1/me"] * 2
