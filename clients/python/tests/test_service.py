"""Both clients against a service that runs."""

from __future__ import annotations

import base64
import json
from datetime import date, datetime, timezone
from functools import partial
from typing import Any

import httpx
import pytest
from both import Face, open_face
from service import Service
from test_vectors import read, to_query

from certdata_client import (
    Client,
    Forbidden,
    InvalidRequest,
    NotFound,
    Retry,
    Unauthorized,
    parse_cell,
    split_csv,
)

pytestmark = pytest.mark.anyio
DEMO = "cda_demo_public"


async def test_parallel_requests_share_one_login_and_show_this_customer_alone(service: Service, kind: str) -> None:
    async with open_face(kind, service.url, api_key=service.api_key) as face:
        me, products, *others = await face.together(
            partial(face.call, "me"),
            partial(face.call, "products.list"),
            *[partial(face.call, "certificates.list", {"limit": n}) for n in range(1, 9)],
        )
        assert me["customer"] == "local"
        assert sorted(record["id"] for record in products["data"]) == ["P-100", "P-110"]
        assert all(page["data"] for page in others)
        assert face.logins == 1


async def test_parallel_requests_with_a_wrong_key_are_refused_by_one_login(service: Service, kind: str) -> None:
    async with open_face(kind, service.url, api_key="cda_live_no") as face:
        outcomes = await face.together(*[partial(face.call, "products.list")] * 8)
        assert {type(outcome) for outcome in outcomes} == {Unauthorized}
        assert {outcome.code for outcome in outcomes} == {"invalid_api_key"}
        # Waiting requests share a login. A later thread tries again.
        assert face.logins == 1 or not face.is_async


def revoke(service: Service, token: str) -> None:
    """Revoke a token. All instances refuse it within a second after the answer."""
    key_id = service.api_key.split("_")[2]
    basic = base64.b64encode(f"{key_id}:{service.api_key}".encode()).decode()
    headers = {"authorization": f"Basic {basic}"}
    answer = httpx.post(f"{service.url}/v1/oauth/revoke", data={"token": token}, headers=headers)
    assert answer.status_code == 200
    probe = {"authorization": f"Bearer {token}", "cache-control": "no-cache"}
    while httpx.get(f"{service.url}/v1/me", headers=probe).status_code != 401:
        pass


def token_of(face: Face) -> str:
    token: str = face.client._core._tokens._current.value
    return token


async def test_a_token_that_is_revoked_is_replaced_once_for_parallel_requests(service: Service, kind: str) -> None:
    async with open_face(kind, service.url, api_key=service.api_key) as face:
        await face.call("me")
        first = token_of(face)
        revoke(service, first)
        outcomes = await face.together(*[partial(face.call, "products.list", {"limit": n}) for n in range(1, 7)])
        assert [outcome["page"]["limit"] for outcome in outcomes] == list(range(1, 7))
        assert face.logins == 2
        assert token_of(face) != first


async def test_a_walk_over_pages_has_what_one_page_has(service: Service, kind: str) -> None:
    async with open_face(kind, service.url, token=DEMO) as face:
        query = {"fields": ["number"], "sort": "number"}
        page = await face.call("certificates.list", {**query, "limit": 500})
        assert len(page["data"]) > 20
        assert await face.collect("certificates.all", {**query, "limit": 20}) == page["data"]
        pages = await face.collect("certificates.pages", {**query, "limit": 20})
        assert [len(each["data"]) for each in pages[:-1]] == [20] * (len(pages) - 1)


async def test_a_walk_is_in_the_order_of_ids_unless_the_caller_sorts(service: Service, kind: str) -> None:
    async with open_face(kind, service.url, token=DEMO) as face:
        page = await face.call("certificates.list", {"sort": "id", "limit": 500})
        ids = [record["id"] for record in page["data"]]
        walked = await face.collect("certificates.all", {"limit": 20})
        assert [record["id"] for record in walked] == ids == sorted(ids)
        by_number = await face.collect("certificates.all", {"limit": 20, "sort": "number"})
        assert [record["number"] for record in by_number] == sorted(record["number"] for record in page["data"])


async def test_an_unchanged_record_is_answered_from_the_cache_by_its_tag(service: Service, kind: str) -> None:
    async with open_face(kind, service.url, api_key=service.api_key) as face:
        answers = [await face.call("request", "/v1/products/P-100") for _ in range(3)]
        assert [answer.not_modified for answer in answers] == [False, True, True]
        assert answers[0].body == answers[2].body
        assert [status for path, status in face.transport.seen if path == "/v1/products/P-100"] == [200, 304, 304]
        page = await face.call("products.get", "P-100", {"fields": "name"}, fresh=True)
        assert page["data"] == {"id": "P-100", "name": "Acme Gateway 100"}


async def test_an_export_has_what_the_pages_have_and_the_same_as_csv(service: Service, kind: str) -> None:
    async with open_face(kind, service.url, token=DEMO) as face:
        query = {"sort": "number", "fields": ["number", "days_remaining", "standards", "holder"]}
        paged = await face.collect("certificates.all", {**query, "limit": 500})
        assert await face.collect("certificates.export", query) == paged
        media_type, body = await face.read("/v1/certificates", {**query, "format": "csv", "bom": None})
        assert media_type.startswith("text/csv")
        header, *rows = split_csv(body.decode())
        kinds: list[Any] = ["text", "text", "number", "list", "text"]
        read_rows = [
            {name: parse_cell(cell, kind) for name, cell, kind in zip(header, row, kinds, strict=True)} for row in rows
        ]
        assert read_rows == paged


async def test_a_custom_endpoint_answers_the_shape_that_it_defines(service: Service, kind: str) -> None:
    async with open_face(kind, service.url, token=DEMO) as face:
        overview = await face.call("custom", "dashboard-overview")
        assert date.fromisoformat(overview["last_updated"])
        access = await face.call("custom", "market-access", {"product_id": "prd-smartlock", "country_code": "SG"})
        assert isinstance(access, dict)


async def test_refusals_are_exceptions_with_code_and_faults(service: Service, kind: str) -> None:
    async with open_face(kind, service.url, token=DEMO) as face:
        with pytest.raises(InvalidRequest) as invalid:
            await face.call("products.list", {"nmae": "x"})
        assert invalid.value.code == "invalid_query"
        assert invalid.value.faults[0]["did_you_mean"] == "name"
        assert invalid.value.request_id
        with pytest.raises(NotFound) as missing:
            await face.call("products.get", "no/such id")
        assert (missing.value.status, missing.value.code) == (404, "not_found")


async def test_the_account_has_keys_usage_and_webhooks(service: Service, kind: str) -> None:
    async with open_face(kind, service.url, api_key=service.api_key) as face:
        current = [key for key in await face.call("list_keys") if key["is_current"]]
        assert [(key["id"], key["state"]) for key in current] == [(service.api_key.split("_")[2], "active")]
        usage = await face.call("get_usage")
        assert isinstance(usage["data"], list)
        assert usage["counted"]["write_seconds"] == 60
        assert await face.call("list_webhooks") == []
        with pytest.raises(NotFound):
            await face.call("list_webhook_deliveries", "../keys")
    async with open_face(kind, service.url, token=DEMO) as face:
        with pytest.raises(Forbidden, match="live_token_required"):
            await face.call("list_keys")


async def test_a_rotation_returns_the_new_key_with_its_full_life(service: Service, kind: str) -> None:
    customer = f"rotating-{kind.lower()}"
    service.certdata("customers", "add", customer, "--name", customer, "--plan", "premium")
    options = ("--scopes", "keys:rotate", "--expires", "90d", "--json")
    issued = json.loads(service.certdata("keys", "issue", customer, *options))
    stored: list[str] = []
    async with open_face(kind, service.url, api_key=issued["api_key"]) as face:
        key = await face.call("rotate_key", stored.append)
        assert key == (await face.call("me"))["key"]
        assert key["id"] == stored[0].split("_")[2] != issued["key_id"]
        left = datetime.fromisoformat(key["expires_at"].replace("Z", "+00:00")) - datetime.now(timezone.utc)
        assert 89 < left.days + left.seconds / 86_400 <= 90


async def test_the_service_takes_every_query_of_the_vectors_that_names_a_resource(service: Service, kind: str) -> None:
    known = [vector for vector in read("query") if "resource" in vector]
    assert len(known) >= 20
    async with open_face(kind, service.url, token=DEMO) as face:
        for vector in known:
            await face.call(f"{vector['resource']}.list", to_query(vector))


async def test_dates_and_instants_of_python_are_those_of_the_service(service: Service, kind: str) -> None:
    async with open_face(kind, service.url, token=DEMO) as face:
        until = date(2099, 12, 31)
        records = await face.collect("certificates.all", {"valid_until[lte]": until, "fields": "valid_until"})
        assert records and all(record["valid_until"] <= "2099-12-31" for record in records)
        since = datetime(2020, 1, 1, tzinfo=timezone.utc)
        assert (await face.call("certificates.list", {"updated_at[gt]": since}))["data"]
        with pytest.raises(ValueError, match="no time zone"):
            await face.call("certificates.list", {"updated_at[gt]": datetime(2020, 1, 1)})


def test_the_types_of_resources_are_those_of_their_records(service: Service) -> None:
    # mypy reads this: a record's members have types, and a misspelt filter is an error.
    with Client(service.url, api_key=service.api_key, retry=Retry(retries=0)) as client:
        number: str = client.certificates.get("C-1")["data"]["number"]
        names: list[str] = [product["name"] for product in client.products.all({"name[prefix]": "Acme"})]

        def misspelt() -> None:
            client.products.list({"nmae": "x"})  # type: ignore[arg-type]

        with pytest.raises(InvalidRequest):
            misspelt()
    assert number == "AC-DoC-2026-001"
    assert len(names) == 2
