"""The SQLite store of the README, killed and started again."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from script import Answer, Script, drop, start_script

README = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8")
[CODE] = [code for code in re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL) if "sqlite3" in code]


def _upsert(id: str, name: str = "x") -> dict[str, Any]:
    return {"op": "upsert", "resource": "products", "id": id, "at": "t", "data": {"id": id, "name": name}}


def _delete(id: str) -> dict[str, Any]:
    return {"op": "delete", "resource": "products", "id": id, "at": "t", "data": None}


def _page(token: str, *changes: dict[str, Any], has_more: bool = False) -> Answer:
    return {"body": {"data": changes, "page": {"has_more": has_more, "next_token": token}}}


def _state(token: str, *changes: dict[str, Any]) -> Answer:
    return {"headers": {"sync-token": token}, "lines": changes}


class Hold:
    """An answer that sends `head`, and then nothing until the client is gone."""

    def __init__(self, head: bytes = b"") -> None:
        self.head = head
        self.reached = threading.Event()

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        if self.head:
            handler.wfile.write(self.head)
            handler.wfile.flush()
        self.reached.set()
        handler.connection.recv(1)
        drop(handler)


@contextmanager
def _following(script: Script, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run the program of the README with `follow`. Kill it at the end."""
    code = CODE.replace("http://localhost:3000", script.url).replace("client.catch_up(", "client.follow(")
    assert ".follow(" in code
    program = subprocess.Popen([sys.executable, "-c", code], cwd=folder)
    try:
        yield program
    finally:
        program.kill()
        program.wait()


def _read(folder: Path) -> tuple[list[str], str | None]:
    """Return the ids and the token of the file."""
    with closing(sqlite3.connect(folder / "mirror.db")) as database:
        ids = [id for (id,) in database.execute("SELECT id FROM records ORDER BY id")]
        token = database.execute("SELECT token FROM sync").fetchone()
    return ids, token and token[0]


def _wait_for_a_write(folder: Path) -> None:
    """Wait until the program is within a transaction."""
    with closing(sqlite3.connect(folder / "mirror.db", timeout=0)) as database:
        for _ in range(2000):
            try:
                database.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return
            database.rollback()
            time.sleep(0.01)
    raise AssertionError("The program writes nothing")


def _partial_state(token: str) -> bytes:
    """Return the head and 2,000 records of a state that does not end. SQLite has begun to write them."""
    records = "".join(f'{{"op":"upsert","resource":"products","id":"new-{n}","data":{{}}}}\n' for n in range(2000))
    return (
        f"HTTP/1.1 200 OK\r\nsync-token: {token}\r\ncontent-type: application/x-ndjson\r\n"
        f"content-length: 9000000\r\n\r\n{records}"
    ).encode()


def test_a_killed_program_continues_with_its_token(tmp_path: Path) -> None:
    poll, later = Hold(), Hold()
    answers = [
        _state("t1", _upsert("a"), _upsert("b")),
        _page("t2", _delete("a"), _upsert("c")),
        poll,
        _page("t3", _delete("b"), _upsert("d")),
        later,
    ]
    with start_script(answers) as script:
        with _following(script, tmp_path):
            assert poll.reached.wait(20)
        assert _read(tmp_path) == (["b", "c"], "t2")
        with _following(script, tmp_path):
            assert later.reached.wait(20)
        assert _read(tmp_path) == (["c", "d"], "t3")
        assert [re.findall(r"after=(\w+)", target) for target in script.targets] == [
            ["snapshot"],
            ["t1"],
            ["t2"],
            ["t2"],
            ["t3"],
        ]


def test_a_program_killed_within_the_state_keeps_the_previous_copy(tmp_path: Path) -> None:
    expired = {"status": 410, "body": {"status": 410, "code": "sync_token_expired", "title": "t", "detail": "d"}}
    expired["headers"] = {"content-type": "application/problem+json"}
    half, poll = Hold(_partial_state("t9")), Hold()
    answers = [
        _state("t1", _upsert("a"), _upsert("b")),
        expired,
        half,
        _page("t2", _delete("a")),
        poll,
    ]
    with start_script(answers) as script:
        with _following(script, tmp_path):
            assert half.reached.wait(20)
            _wait_for_a_write(tmp_path)
        assert _read(tmp_path) == (["a", "b"], "t1")
        with _following(script, tmp_path):
            assert poll.reached.wait(20)
        assert _read(tmp_path) == (["b"], "t2")


def test_an_error_within_changes_leaves_records_and_token(tmp_path: Path) -> None:
    broken = {**_upsert("c"), "resource": None}
    poll = Hold()
    with start_script([_state("t1", _upsert("a")), _page("t2", _delete("a"), broken), poll]) as script:
        with _following(script, tmp_path) as program:
            assert program.wait(20) == 1
        assert _read(tmp_path) == (["a"], "t1")
