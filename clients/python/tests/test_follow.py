"""A follower against a service that runs."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from service import ROOT, Service

from certdata_client import AsyncClient, Change, Client

LIMIT = 30


class Copy:
    """A copy in memory, all or nothing as a database would have it."""

    def __init__(self) -> None:
        self.token: str | None = None
        self.records: dict[tuple[str, str], Any] = {}

    def load_token(self) -> str | None:
        return self.token

    def replace_all(self, state: Iterator[Change], token: str) -> None:
        records = {(change["resource"], change["id"]): change["data"] for change in state}
        self.records, self.token = records, token

    def apply(self, changes: Sequence[Change], token: str) -> None:
        for change in changes:
            key = change["resource"], change["id"]
            if change["op"] == "delete":
                self.records.pop(key, None)
            else:
                self.records[key] = change["data"]
        self.token = token


class AsyncCopy(Copy):
    """`Copy` for a loop."""

    async def load_token(self) -> str | None:  # type: ignore[override]
        return super().load_token()

    async def replace_all(self, state: AsyncIterator[Change], token: str) -> None:  # type: ignore[override]
        super().replace_all(iter([change async for change in state]), token)

    async def apply(self, changes: Sequence[Change], token: str) -> None:  # type: ignore[override]
        super().apply(changes, token)


def customer_of(service: Service, name: str) -> str:
    """Add a customer with the example records, and return its API key."""
    service.certdata("customers", "add", name, "--plan", "premium")
    service.certdata("import", "examples/records.ndjson", "--customer", name)
    key: str = json.loads(service.certdata("keys", "issue", name, "--json"))["api_key"]
    return key


def change_products(service: Service, name: str, folder: Path) -> None:
    """Rename a product and delete all other records of the customer, as an operator would."""
    lines = (ROOT / "examples/records.ndjson").read_text().splitlines()
    record = next(each for each in map(json.loads, lines) if each["id"] == "P-100")
    file = folder / "records.ndjson"
    file.write_text(json.dumps({**record, "customer": name, "name": "Renamed"}) + "\n")
    service.certdata("import", str(file), "--replace", "--force")


def judge(copy: Copy, whole: list[Any]) -> None:
    assert copy.records == {("products", record["id"]): record for record in whole}
    assert copy.records[("products", "P-100")]["name"] == "Renamed"


def test_a_follower_has_what_a_full_read_shows(service: Service, tmp_path: Path) -> None:
    copy, caught_up, stop = Copy(), threading.Event(), threading.Event()

    def note() -> None:
        caught_up.set()
        if copy.records.keys() == {("products", "P-100")}:
            stop.set()

    with (
        Client(service.url, api_key=customer_of(service, "thread")) as client,
        ThreadPoolExecutor() as pool,
    ):
        following = pool.submit(client.follow, copy, resources=["products"], wait=5, on_caught_up=note, stop=stop)
        try:
            assert caught_up.wait(LIMIT)
            assert copy.records.keys() == {("products", "P-100"), ("products", "P-110")}
            change_products(service, "thread", tmp_path)
            assert stop.wait(LIMIT)
        finally:
            stop.set()
        following.result(LIMIT)
        judge(copy, list(client.products.all(fresh=True)))


@pytest.mark.anyio
async def test_a_follower_of_a_loop_has_what_a_full_read_shows(service: Service, tmp_path: Path) -> None:
    copy, caught_up, applied = AsyncCopy(), anyio.Event(), anyio.Event()

    async def note() -> None:
        caught_up.set()
        if copy.records.keys() == {("products", "P-100")}:
            applied.set()

    key = await anyio.to_thread.run_sync(customer_of, service, "loop")
    async with AsyncClient(service.url, api_key=key) as client:
        async with anyio.create_task_group() as group:

            async def follow() -> None:
                await client.follow(copy, resources=["products"], wait=5, on_caught_up=note)

            group.start_soon(follow)
            with anyio.fail_after(LIMIT):
                await caught_up.wait()
            assert copy.records.keys() == {("products", "P-100"), ("products", "P-110")}
            await anyio.to_thread.run_sync(change_products, service, "loop", tmp_path)
            with anyio.fail_after(LIMIT):
                await applied.wait()
            group.cancel_scope.cancel()
        judge(copy, [record async for record in client.products.all(fresh=True)])


def test_what_the_store_raises_ends_the_following(service: Service) -> None:
    class Full(Copy):
        def replace_all(self, state: Iterator[Change], token: str) -> None:
            next(state)
            raise OSError("the disk is full")

    with Client(service.url, api_key=service.api_key) as client, pytest.raises(OSError, match="the disk is full"):
        client.follow(Full(), resources=["products"])
