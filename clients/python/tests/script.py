"""A server with scripted answers, for faults that a real service seldom has."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Mapping[str, Any] | Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Script:
    """The answers of the server in order, and the requests that it received."""

    answers: Sequence[Answer]
    url: str = ""
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    """Times of the requests, in seconds of the monotonic clock."""
    connections: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def targets(self) -> list[str]:
        """Paths with their queries."""
        return [target for target, _ in self.asked]


def _body(answer: Mapping[str, Any]) -> bytes:
    if "lines" in answer:
        return "".join(f"{json.dumps(line)}\n" for line in answer["lines"]).encode()
    body = answer.get("body", "")
    return (body if isinstance(body, str) else json.dumps(body)).encode()


def _send(handler: BaseHTTPRequestHandler, answer: Mapping[str, Any]) -> None:
    handler.send_response(answer.get("status", 200))
    for name, value in answer.get("headers", {}).items():
        handler.send_header(name, value)
    body = _body(answer)
    if answer.get("status") != 304:
        handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def drop(handler: BaseHTTPRequestHandler) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True


def cut(handler: BaseHTTPRequestHandler) -> None:
    """Close the connection in the middle of a body."""
    handler.send_response(200)
    handler.send_header("content-length", "10")
    handler.end_headers()
    handler.wfile.write(b"{")
    handler.close_connection = True


def refusal(status: int, code: str, **headers: str) -> dict[str, Any]:
    """A problem document."""
    body = {"type": "about:blank", "title": "t", "status": status, "code": code, "detail": "d"}
    return {"status": status, "headers": {"content-type": "application/problem+json", **headers}, "body": body}


@contextmanager
def start_script(answers: Sequence[Answer]) -> Iterator[Script]:
    """Serve the answers until the end of the block. Beyond them it answers 500."""
    script = Script(answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            with script.lock:
                script.connections += 1

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            with script.lock:
                n = len(script.asked)
                script.bodies.append(body)
                script.times.append(time.monotonic())
                script.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            answer = script.answers[n] if n < len(script.answers) else refusal(500, "internal_error")
            if callable(answer):
                answer(self)
            else:
                _send(self, answer)

        do_GET = do_POST = _answer

        def log_message(self, format: str, *args: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
