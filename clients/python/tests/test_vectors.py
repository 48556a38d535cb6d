"""Every vector, on both clients."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from both import open_face
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from script import start_script

from certdata_client import (
    ApiError,
    AsyncClient,
    Change,
    Client,
    Retry,
    SyncTokenExpired,
    WebhookError,
    create_assertion,
    format_cell,
    format_query,
    parse_cell,
    split_csv,
    verify_webhook,
)
from certdata_client.errors import parse_retry_after, read_problem
from certdata_client.events import EventParser
from certdata_client.retry import Failure, decide_retry

FOLDER = Path(__file__).resolve().parents[2] / "vectors"
QUICK = Retry(first_delay=0.001)


def read(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


COUNTS = read("counts")


def each(name: str) -> pytest.MarkDecorator:
    vectors = read(name)
    return pytest.mark.parametrize("vector", vectors, ids=[vector["name"] for vector in vectors])


def seconds_of(instant: str) -> float:
    return datetime.fromisoformat(instant.replace("Z", "+00:00")).timestamp()


def to_query(vector: dict[str, Any]) -> dict[str, Any]:
    return dict(vector.get("query", []))


def test_there_are_as_many_vectors_as_were_counted_and_no_file_that_nobody_runs() -> None:
    files = [file.stem for file in FOLDER.glob("*.json") if file.stem != "counts"]
    assert {name: len(read(name)) for name in files} == COUNTS
    run = {"query", "errors", "csv", "csv-rows", "retries", "etags", "pages", "changes", "walks"}
    run |= {"webhooks", "assertions", "events", "urls"}
    assert set(COUNTS) == run
    assert all(count > 0 for count in COUNTS.values())


@each("urls")
def test_urls(vector: dict[str, Any], kind: str) -> None:
    create = {"Client": Client, "AsyncClient": AsyncClient}[kind]
    if "error" in vector:
        with pytest.raises(ValueError) as caught:
            create(vector["url"], token="x")
        assert str(caught.value) == vector["error"]
    else:
        assert create(vector["url"], token="x")._origin == vector["origin"]


@each("query")
def test_query(vector: dict[str, Any]) -> None:
    assert format_query(to_query(vector)) == (f"?{vector['text']}" if vector["text"] else "")


@each("errors")
def test_errors(vector: dict[str, Any]) -> None:
    error = read_problem(vector["status"], httpx.Headers(vector["headers"]), vector["body"].encode())
    wait = parse_retry_after(error.headers.get("retry-after"), seconds_of(vector["now"]))
    assert {
        "status": error.status,
        "code": error.code,
        "detail": error.detail,
        "faults": error.faults,
        "request_id": error.request_id,
        "retry_after_ms": None if wait is None else round(wait * 1000),
        "message": str(error),
    } == vector["report"]


@each("csv")
def test_csv(vector: dict[str, Any]) -> None:
    assert format_cell(vector["value"], vector["kind"]) == vector["cell"]
    value = parse_cell(vector["cell"], vector["kind"])
    expected = vector["value"]
    assert (value, type(value)) == (expected, type(expected))


@each("csv-rows")
def test_csv_rows(vector: dict[str, Any]) -> None:
    if vector.get("error"):
        with pytest.raises(ValueError):
            split_csv(vector["text"])
    else:
        assert split_csv(vector["text"]) == vector["rows"]


@each("retries")
def test_retries(vector: dict[str, Any]) -> None:
    headers = httpx.Headers(vector.get("headers"))
    wait = parse_retry_after(headers.get("retry-after"), seconds_of(vector["now"]))
    # Without a status: a connection error, no complete answer arrived.
    failure = Failure(vector.get("status"), wait)
    decisions = [decide_retry(vector["method"], vector["attempt"], failure, Retry(), part) for part in (0, 1)]
    waits = [None if each is None else round(each * 1000) for each in decisions]
    assert waits == (vector["wait_ms"] or [None, None])


@each("events")
def test_events(vector: dict[str, Any]) -> None:
    data = base64.b64decode(vector["base64"]) if "base64" in vector else vector["text"].encode()
    cuts = [[data[:at], data[at:]] for at in range(len(data) + 1)]
    for pieces in [[data[at : at + 1] for at in range(len(data))], *cuts]:
        parser = EventParser()
        events = [event._asdict() for piece in pieces for event in parser.push(piece)]
        assert events == vector["events"]
        assert (parser.last_event_id, parser.retry_ms) == (vector["last_event_id"], vector["retry_ms"])


@each("webhooks")
def test_webhooks(vector: dict[str, Any]) -> None:
    headers, body, keys = vector["headers"], vector["body"], vector["keys"]
    for given in (body, body.encode()):
        if "reason" in vector:
            with pytest.raises(WebhookError) as caught:
                verify_webhook(headers, given, keys, now=seconds_of(vector["now"]))
            assert caught.value.reason == vector["reason"]
        else:
            assert verify_webhook(headers, given, keys, now=seconds_of(vector["now"])) == vector["message"]


def from_base64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def check_signature(algorithm: str, jwk: dict[str, str], signature: bytes, signed: bytes) -> None:
    """Raise InvalidSignature unless this key signed these bytes."""
    number = {name: int.from_bytes(from_base64url(jwk[name]), "big") for name in ("x", "y", "n", "e") if name in jwk}
    if algorithm == "EdDSA":
        Ed25519PublicKey.from_public_bytes(from_base64url(jwk["x"])).verify(signature, signed)
    elif algorithm == "ES256":
        pair = encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
        point = ec.EllipticCurvePublicNumbers(number["x"], number["y"], ec.SECP256R1())
        point.public_key().verify(pair, signed, ec.ECDSA(SHA256()))
    else:
        modulus = rsa.RSAPublicNumbers(number["e"], number["n"]).public_key()
        modulus.verify(signature, signed, padding.PSS(padding.MGF1(SHA256()), 32), SHA256())


@each("assertions")
def test_assertions(vector: dict[str, Any]) -> None:
    given = vector["client_id"], vector["private_key"], vector["audience"]
    options = {"kid": vector["kid"], "now": seconds_of(vector["now"]), "jti": vector["jti"]}
    if vector.get("error"):
        with pytest.raises(ValueError, match="expected a private key"):
            create_assertion(*given, **options)
        return
    header, claims, signature = create_assertion(*given, **options).split(".")
    assert json.loads(from_base64url(header)) == vector["header"]
    assert json.loads(from_base64url(claims)) == vector["claims"]
    algorithm = vector["header"]["alg"]
    check_signature(algorithm, vector["public_key"], from_base64url(signature), f"{header}.{claims}".encode())


@pytest.mark.anyio
@each("etags")
async def test_etags(vector: dict[str, Any], kind: str) -> None:
    exchanges = vector["exchanges"]
    with start_script([exchange["answer"] for exchange in exchanges]) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK) as face:
            for index, exchange in enumerate(exchanges):
                ask, fresh = exchange["ask"], exchange["ask"].get("fresh", False)
                if "error" in exchange:
                    with pytest.raises(ApiError) as caught:
                        await face.call("request", ask["path"], to_query(ask), fresh=fresh)
                    assert caught.value.code == exchange["error"]
                else:
                    answer = await face.call("request", ask["path"], to_query(ask), fresh=fresh)
                    assert answer.body == exchange["body"]
                    assert answer.not_modified == exchange["not_modified"]
                    # Changing a returned body must not change the cached one.
                    answer.body["spoilt"] = True
                headers = script.asked[index][1]
                assert headers.get("if-none-match") == exchange["if_none_match"]
                assert (headers.get("cache-control") == "no-cache") == fresh


@pytest.mark.anyio
@each("pages")
async def test_pages(vector: dict[str, Any], kind: str) -> None:
    with start_script(vector["answers"]) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK) as face:
            records = await face.collect("products.all", to_query(vector))
        assert [record["id"] for record in records] == vector["ids"]
        assert script.targets == vector["requests"]


@pytest.mark.anyio
@each("walks")
async def test_walks(vector: dict[str, Any], kind: str) -> None:
    resource, *ids = vector.get("of", [None])
    name = f"{resource}.{vector['walk']}" if resource else vector["walk"]
    seen: list[Any] = []
    with start_script(vector["answers"]) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK) as face:
            walking = face.collect(name, *ids, to_query(vector), into=seen)
            if "error" in vector:
                with pytest.raises(ApiError) as caught:
                    await walking
                assert caught.value.code == vector["error"]
            else:
                await walking
        assert seen == vector["items"]
        assert script.targets == vector["requests"]


class Store:
    """Notes the calls of a follower."""

    def __init__(self, token: str | None) -> None:
        self.token = token
        self.calls: list[dict[str, Any]] = []

    def load_token(self) -> str | None:
        return self.token

    def replace_all(self, state: Iterator[Change], token: str) -> None:
        self.calls.append({"call": "replace_all", "ids": [change["id"] for change in state], "token": token})

    def apply(self, changes: Sequence[Change], token: str) -> None:
        done = [f"{change['op']} {change['id']}" for change in changes]
        self.calls.append({"call": "apply", "changes": done, "token": token})

    def on_restart(self, error: SyncTokenExpired) -> None:
        self.calls.append({"call": "restart", "code": error.code})


class AsyncStore(Store):
    """`Store` for a loop."""

    async def load_token(self) -> str | None:  # type: ignore[override]
        return super().load_token()

    async def replace_all(self, state: AsyncIterator[Change], token: str) -> None:  # type: ignore[override]
        super().replace_all(iter([change async for change in state]), token)

    async def apply(self, changes: Sequence[Change], token: str) -> None:  # type: ignore[override]
        super().apply(changes, token)


@pytest.mark.anyio
@each("changes")
async def test_changes(vector: dict[str, Any], kind: str) -> None:
    store = AsyncStore(vector["token"]) if kind == "AsyncClient" else Store(vector["token"])
    following = vector.get("following", {})
    options = {**following, "filter": dict(following.get("filter", [])), "resources": ["products"]}
    method = "catch_up" if vector.get("catch_up") else "follow"
    stop = {"stop": threading.Event()} if (kind, method) == ("Client", "follow") else {}
    with start_script(vector["answers"]) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK) as face:
            doing = face.call(method, store, on_restart=store.on_restart, **options, **stop)
            if vector["error"]:
                with pytest.raises(ApiError) as caught:
                    await doing
                assert caught.value.code == vector["error"]
            else:
                await doing
        assert store.calls == vector["calls"]
        assert script.targets == vector["requests"]
