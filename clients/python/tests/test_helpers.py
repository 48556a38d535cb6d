"""History, the feed, the audit trail, webhooks and signed logins, against a service that runs."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from both import open_face
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from script import drop, refusal, start_script
from service import Service
from test_vectors import read

from certdata_client import (
    Change,
    Client,
    InvalidRequest,
    Retry,
    Unauthorized,
    WebhookError,
)
from certdata_client.core import Core
from certdata_client.flow import Flow, Reply, Send
from certdata_client.tokens import FixedToken
from certdata_client.webhooks import WebhookVerifier

pytestmark = pytest.mark.anyio
DEMO = "cda_demo_public"
QUICK = Retry(first_delay=0.001)


def import_product(service: Service, folder: Path, name: str, brand: str) -> None:
    """Write a product of the customer `writer`, as the operator does."""
    record = {"resource": "products", "customer": "writer", "id": "P-900", "name": name, "brand": brand}
    file = folder / "records.ndjson"
    file.write_text(json.dumps(record))
    service.certdata("import", str(file))


async def test_history_of_a_record_and_of_all(service: Service, kind: str, tmp_path: Path, writer_key: str) -> None:
    for name in ("One", "Two"):
        import_product(service, tmp_path, f"{kind} {name}", "Acme")
    async with open_face(kind, service.url, api_key=writer_key) as face:
        entries = await face.collect("products.history", "P-900", {"limit": 1})
        assert [entry["changes"]["name"]["to"] for entry in entries[:2]] == [f"{kind} Two", f"{kind} One"]
        assert entries[-1]["op"] == "create"
        found = await face.collect("history_of_all", {"resource": ["products"], "since": "today-1d", "limit": 1})
        assert entries[0] in found
        assert await face.collect("history_of_all", {"since": "today+1d"}) == []
        record = await face.call("products.get", "P-900", {"as_of": "today", "fields": "name"})
        assert record["data"]["name"] == f"{kind} Two"


class Copy:
    """A copy in memory, for either client."""

    def __init__(self, is_async: bool) -> None:
        self.is_async = is_async
        self.token: str | None = None
        self.records: dict[str, Any] = {}
        self.changes: list[Change] = []

    def _done(self, value: Any = None) -> Any:
        async def done() -> Any:
            return value

        return done() if self.is_async else value

    def load_token(self) -> Any:
        return self._done(self.token)

    def replace_all(self, state: Any, token: str) -> Any:
        def keep(changes: list[Change]) -> None:
            self.records = {change["id"]: change["data"] for change in changes}
            self.token = token

        async def take() -> None:
            keep([change async for change in state])

        return take() if self.is_async else keep(list(state))

    def apply(self, changes: Any, token: str) -> Any:
        self.changes += changes
        for change in changes:
            if change["op"] == "delete":
                self.records.pop(change["id"], None)
            else:
                self.records[change["id"]] = change["data"]
        self.token = token
        return self._done()


async def test_catching_up_with_a_filter_fields_and_former_values(
    service: Service, kind: str, tmp_path: Path, writer_key: str
) -> None:
    import_product(service, tmp_path, "Before", "Mine")
    options = {"resources": ["products"], "filter": {"brand": "Mine"}, "fields": ["name"], "previous": True}
    async with open_face(kind, service.url, api_key=writer_key) as face:
        copy = Copy(face.is_async)
        await face.call("catch_up", copy, **options)
        assert copy.records == {"P-900": {"id": "P-900", "name": "Before"}}
        start = copy.token
        import_product(service, tmp_path, "After", "Mine")
        await face.call("products.get", "P-900", fresh=True)
        await face.call("catch_up", copy, **options)
        assert copy.records["P-900"]["name"] == "After"
        [change] = copy.changes
        assert (change["changed"], change["previous"]) == (["name"], {"name": "Before"})
        import_product(service, tmp_path, "After", "Theirs")
        await face.call("products.get", "P-900", fresh=True)
        pages = await face.collect("changes", {"after": start})
        gone = [change for page in pages for change in page["data"]]
        assert [(each["op"], each["cause"]) for each in gone] == [("delete", "filter")]
        with pytest.raises(InvalidRequest, match="invalid_sync_token"):
            await face.call("catch_up", copy, **{**options, "filter": {"brand": "Other"}})
        with pytest.raises(ValueError, match="use follow or catch_up"):
            await face.collect("changes", {"after": "snapshot"})


async def test_who_looked_continues_after_the_newest_entry(service: Service, kind: str) -> None:
    issued = json.loads(service.certdata("keys", "issue", "local", "--scopes", "audit:read,products:read", "--json"))
    async with open_face(kind, service.url, api_key=issued["api_key"]) as face:
        await face.call("products.list")
        service.restart()
        entries = await face.collect("export_audit", {})
        assert "reads" in [entry["entry"]["action"] for entry in entries if entry["entry"]["key"] == issued["key_id"]]
        assert await face.collect("audit", {"action": "login", "outcome": "refused", "key": "none"}) == []
        service.restart()
        newest = entries[0]["entry"]["number"]
        numbers = [entry["entry"]["number"] for entry in await face.collect("audit", {"after": newest})]
        assert numbers == list(range(newest + len(numbers), newest, -1)) and numbers


def make_signer(service: Service, folder: Path) -> tuple[str, str]:
    """Register a client that signs. Return its id and its private key."""
    key = Ed25519PrivateKey.generate()
    x = base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).rstrip(b"=").decode()
    file = folder / "public.json"
    file.write_text(json.dumps({"kty": "OKP", "crv": "Ed25519", "x": x}))
    added = json.loads(service.certdata("keys", "add-client", "local", "--jwk", str(file), "--json"))
    return added["client_id"], key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


async def test_a_client_that_signs_logs_in(service: Service, kind: str, tmp_path: Path) -> None:
    client_id, pem = make_signer(service, tmp_path)
    async with open_face(kind, service.url, client_id=client_id, private_key=pem) as face:
        assert (await face.call("me"))["customer"] == "local"
        await face.call("products.list")
        assert [path for path, _ in face.transport.seen].count("/v1/oauth/token") == 1
    other = Ed25519PrivateKey.generate()
    async with open_face(kind, service.url, client_id=client_id, private_key=other) as face:
        with pytest.raises(Unauthorized) as refused:
            await face.call("me")
        assert refused.value.code == "invalid_client"
        assert "did not sign" in refused.value.detail


async def test_each_try_of_a_login_has_an_assertion_of_its_own(kind: str) -> None:
    vector = next(vector for vector in read("assertions") if vector["name"] == "P-256 signs with ES256")
    token = {"body": {"access_token": "t", "token_type": "Bearer", "expires_in": 3600, "scope": ""}}
    bodies: list[bytes] = []

    class Noting:
        """Records the bodies of logins."""

        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def __call__(self, request: httpx.Request) -> Any:
            if request.url.path == "/v1/oauth/token":
                bodies.append(request.content)
            return self.inner(request)

    with start_script([drop, refusal(503, "unavailable", **{"retry-after": "0"}), token, {"body": {"n": 1}}]) as script:
        signer = {"client_id": vector["client_id"], "private_key": vector["private_key"]}
        async with open_face(kind, script.url, **signer, retry=QUICK) as face:
            method = "handle_async_request" if face.is_async else "handle_request"
            setattr(face.transport, method, Noting(getattr(face.transport, method)))
            assert (await face.call("request", "/v1/me")).body == {"n": 1}
    forms = [httpx.QueryParams(body.decode()) for body in bodies]
    claims = [json.loads(base64.urlsafe_b64decode(form["client_assertion"].split(".")[1] + "==")) for form in forms]
    assert len({each["jti"] for each in claims}) == 3
    assert {each["aud"] for each in claims} == {script.url}
    assert {form["grant_type"] for form in forms} == {"client_credentials"}


def webhook_key(secret: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(secret.encode()).digest())


def send_webhook(key: Ed25519PrivateKey, now: float, body: bytes = b'{"type":"x"}') -> tuple[dict[str, str], bytes]:
    signature = base64.b64encode(key.sign(f"msg_1.{int(now)}.".encode() + body)).decode()
    headers = {"webhook-id": "msg_1", "webhook-timestamp": str(int(now)), "webhook-signature": f"v1a,{signature}"}
    return headers, body


def published(*keys: Ed25519PrivateKey) -> list[dict[str, str]]:
    found = [base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).rstrip(b"=").decode() for key in keys]
    return [{"kty": "OKP", "crv": "Ed25519", "x": x} for x in found]


async def test_webhook_keys_are_read_once_an_hour_and_again_where_no_signature_matches() -> None:
    former, present = webhook_key("former"), webhook_key("present")
    keys, now, reads = published(former), 1_795_683_600.0, 0
    verifier = WebhookVerifier(Core(FixedToken("x"), None, Retry(), 1), lambda: now)

    def run(flow: Flow[Any]) -> Any:
        nonlocal reads
        try:
            effect = next(flow)
            while True:
                assert isinstance(effect, Send) and effect.target == "/.well-known/webhook-keys.json"
                reads += 1
                effect = flow.send(Reply(200, httpx.Headers(), json.dumps({"keys": keys}).encode()))
        except StopIteration as end:
            return end.value["id"]
        except WebhookError as error:
            return error.reason

    def send(key: Ed25519PrivateKey) -> Any:
        return run(verifier.verify(*send_webhook(key, now)))

    assert [send(former), send(former), reads] == ["msg_1", "msg_1", 1]
    assert [send(present), reads] == ["wrong_signature", 1]
    keys, now = published(present), now + 60
    assert [send(present), reads] == ["msg_1", 2]
    assert [send(former), reads] == ["wrong_signature", 2]
    now += 3600
    assert [send(present), reads] == ["msg_1", 3]


async def test_the_client_verifies_a_message_with_the_keys_that_the_service_publishes(
    service: Service, kind: str
) -> None:
    async with open_face(kind, service.url, token=DEMO) as face:
        headers, body = send_webhook(webhook_key("somebody"), time.time())
        with pytest.raises(WebhookError) as refused:
            await face.call("verify_webhook", headers, body)
        assert refused.value.reason == "wrong_signature"
        with pytest.raises(TypeError, match="as it came"):
            await face.call("verify_webhook", headers, {})
    key = webhook_key("ours")
    with start_script([{"body": {"keys": published(key)}}]) as script:
        async with open_face(kind, script.url, token="x") as face:
            message = await face.call("verify_webhook", *send_webhook(key, time.time()))
            assert message == {"id": "msg_1", "type": "x"}


def test_a_client_has_exactly_one_way_to_log_in() -> None:
    for options in ({}, {"token": "x", "api_key": "y"}, {"client_id": "x"}, {"token": "x", "client_id": "x"}):
        with pytest.raises(ValueError, match="give"):
            Client("http://localhost", **options)  # type: ignore[arg-type]
