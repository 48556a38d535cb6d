"""Faults between client and service, with a scripted server."""

from __future__ import annotations

import json
import threading
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from both import open_face
from script import Answer, cut, drop, refusal, start_script

from certdata_client import (
    Client,
    ConnectionFault,
    QuotaExceeded,
    Retry,
    ServiceFault,
    ServiceUnavailable,
    Unauthorized,
)
from certdata_client.flow import LogIn, Reply, Send
from certdata_client.key_expiry import ExpiryWarning
from certdata_client.tokens import Tokens, key_login

pytestmark = pytest.mark.anyio
QUICK = Retry(first_delay=0.001)
NOW = {"retry-after": "0"}
OK = {"body": {"n": 1}}


def token(n: int) -> dict[str, Any]:
    return {"body": {"access_token": f"t{n}", "token_type": "Bearer", "expires_in": 3600, "scope": ""}}


async def test_a_read_is_repeated_until_it_is_answered(kind: str) -> None:
    answers: list[Answer] = [refusal(429, "quota_exceeded", **NOW), refusal(503, "unavailable", **NOW), drop, cut, OK]
    with start_script(answers) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK) as face:
            assert (await face.call("request", "/v1/me")).body == {"n": 1}
        assert len(script.asked) == 5


async def test_it_gives_up_after_five_attempts(kind: str) -> None:
    with start_script([refusal(503, "unavailable", **NOW)] * 9) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK) as face:
            with pytest.raises(ServiceUnavailable):
                await face.call("request", "/v1/me")
        assert len(script.asked) == 5


async def test_it_waits_as_long_as_it_is_told_and_not_for_longer_than_its_bound(kind: str) -> None:
    answers = [refusal(429, "quota_exceeded", **{"retry-after": "61"})]
    with start_script(answers) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK) as face:
            with pytest.raises(QuotaExceeded) as caught:
                await face.call("request", "/v1/me")
        assert caught.value.retry_after == 61
        assert len(script.asked) == 1


async def test_a_connection_that_keeps_breaking_is_a_fault_of_its_own_type(kind: str) -> None:
    with start_script([drop] * 9) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK) as face:
            with pytest.raises(ConnectionFault):
                await face.call("request", "/v1/me")
        assert len(script.asked) == 5


async def test_a_fault_of_the_service_itself_is_not_repeated(kind: str) -> None:
    with start_script([refusal(500, "internal_error")]) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK) as face:
            with pytest.raises(ServiceFault):
                await face.call("request", "/v1/me")
        assert len(script.asked) == 1


async def test_an_export_that_breaks_off_raises_after_what_came(kind: str) -> None:
    with start_script([cut]) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK) as face:
            with pytest.raises(ConnectionFault):
                await face.collect("products.export")
        assert len(script.asked) == 1


async def test_a_redirect_is_not_followed_with_the_token(kind: str) -> None:
    with start_script([OK]) as elsewhere:
        answer = {"status": 302, "headers": {"location": elsewhere.url}}
        with start_script([answer]) as script:
            async with open_face(kind, script.url, token="x", retry=QUICK) as face:
                with pytest.raises(Exception, match="answered 302"):
                    await face.call("request", "/v1/me")
        assert elsewhere.asked == []


async def test_a_refused_token_is_replaced_once_and_a_refused_successor_stands(kind: str) -> None:
    expired = refusal(401, "token_expired")
    with start_script([token(1), expired, token(2), OK, expired, token(3), expired]) as script:
        async with open_face(kind, script.url, api_key="x", retry=QUICK) as face:
            assert (await face.call("request", "/v1/me")).body == {"n": 1}
            with pytest.raises(Unauthorized) as caught:
                await face.call("request", "/v1/me")
        assert caught.value.code == "token_expired"
        sent = [headers.get("authorization") for _, headers in script.asked]
        assert sent == [None, "Bearer t1", None, "Bearer t2", "Bearer t2", None, "Bearer t3"]


async def test_a_key_is_sent_without_the_whitespace_around_it() -> None:
    assert key_login(" key\n").content == key_login("key").content


async def test_a_key_that_ends_within_14_days_is_reported_once(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    def expiring(days: float) -> dict[str, Any]:
        end = (datetime.now(timezone.utc) + timedelta(days=days)).isoformat(timespec="microseconds")
        key = {"id": "k1", "name": "ERP", "expires_at": end.replace("+00:00", "Z")}
        return {"body": {**token(1)["body"], "key": key}}

    refused = refusal(401, "token_expired")
    told: list[Any] = []

    def fail(key: Any) -> None:
        told.append(key["id"])
        raise RuntimeError("of the caller")

    answers = [expiring(15), refused, expiring(13.9), OK, refused, expiring(13.8), OK]
    with start_script(answers) as script:
        async with open_face(kind, script.url, api_key="x", retry=QUICK, on_key_expiring=fail) as face:
            await face.call("request", "/v1/a")
            assert told == ["k1"]
            await face.call("request", "/v1/b")
    assert told == ["k1"]
    caplog.clear()
    with start_script([expiring(15), OK]) as script:
        async with open_face(kind, script.url, api_key="x") as face:
            await face.call("request", "/v1/a")
    assert caplog.messages == []
    with start_script([expiring(1), OK]) as script:
        async with open_face(kind, script.url, api_key="x") as face:
            await face.call("request", "/v1/a")
    assert [message[:26] for message in caplog.messages] == ["The API key k1 (ERP) ends "]


def rotated(n: int) -> dict[str, Any]:
    key = {"id": f"k{n}", "name": None, "expires_at": None}
    return {"body": {"api_key": f"new{n}", "key": key, "replaces": "k0", "overlap_seconds": 604800}}


async def test_a_warning_may_rotate_the_key_and_fails_no_request(
    kind: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(timezone.utc)
    later = timedelta(0)

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return now + later

    monkeypatch.setattr("certdata_client.key_expiry.datetime", Clock)

    def key(n: int) -> dict[str, Any]:
        end = (now + timedelta(days=8)).isoformat(timespec="microseconds").replace("+00:00", "Z")
        return {"body": {**token(n)["body"], "key": {"id": f"k{n}", "name": None, "expires_at": end}}}

    expired = refusal(401, "token_expired")
    answers = [key(0), rotated(1), key(1), OK, expired, key(1), OK, expired, key(1), refusal(409, "no"), OK]
    warned: list[str] = []
    stored: list[str] = []
    with start_script(answers) as script:
        async with open_face(
            kind, script.url, api_key="x", retry=QUICK, on_key_expiring=lambda key: on_expiring(key)
        ) as face:

            def on_expiring(key: Any) -> object:
                warned.append(key["id"])
                return face.client.rotate_key(stored.append)

            await face.call("request", "/v1/a")
            assert (warned, stored) == (["k0"], ["new1"])
            await face.call("request", "/v1/b")
            assert warned == ["k0"], "the new key does not warn, although it ends in 8 days"
            later = timedelta(days=5)
            await face.call("request", "/v1/c")
            assert warned == ["k0", "k1"], "it warns in the second half of its life"
    assert caplog.messages == ["on_key_expiring failed"]
    assert script.targets.count("/v1/me/keys/rotate") == 2


def test_a_coroutine_function_is_refused_where_nothing_would_run_it(caplog: pytest.LogCaptureFixture) -> None:
    async def store(value: object) -> None:
        raise AssertionError(value)

    soon = (datetime.now(timezone.utc) + timedelta(days=1)).isoformat(timespec="microseconds").replace("+00:00", "Z")
    expiring = {"body": {**token(1)["body"], "key": {"id": "k1", "name": None, "expires_at": soon}}}
    with start_script([expiring, OK, rotated(1)]) as script:
        with Client(script.url, api_key="old", retry=QUICK, on_key_expiring=store) as client:
            client.request("/v1/a")
            assert caplog.messages == ["on_key_expiring failed"], "it fails no request"
            with pytest.raises(TypeError, match="AsyncClient takes coroutine functions"):
                client.rotate_key(store)
        assert script.targets[2:] == ["/v1/me/keys/rotate"], "a key that is not stored is not used"


async def test_a_rotated_key_is_stored_before_its_first_login(kind: str) -> None:
    stored: list[str] = []

    def fail(api_key: str) -> None:
        raise OSError(f"{api_key} cannot be stored")

    async def store_later(api_key: str) -> None:
        await anyio.lowlevel.checkpoint()
        stored.append(api_key)

    answers: list[Answer] = [
        rotated(1),
        drop,
        rotated(2),
        refusal(503, "unavailable"),
        token(2),
        OK,
        refusal(429, "quota_exceeded", **{"retry-after": "3600"}),
    ]
    with start_script(answers) as script:
        async with open_face(kind, script.url, api_key="old", retry=QUICK) as face:
            with pytest.raises(OSError, match="new1 cannot be stored"):
                await face.call("rotate_key", fail)
            key = await face.call("rotate_key", store_later if face.is_async else stored.append)
            await face.call("request", "/v1/a")
            with pytest.raises(QuotaExceeded):
                await face.call("rotate_key", stored.append)
        assert key["id"] == "k2"
        assert stored == ["new2"]
        exchange, login = "/v1/me/keys/rotate", "/v1/auth/login"
        assert script.targets[:7] == [exchange, exchange, exchange, login, login, "/v1/a", exchange]
        sent = [json.loads(body)["api_key"] for body in script.bodies if body]
        assert sent[:6] == ["old", "old", "old", "new2", "new2", "new2"]
        assert script.asked[5][1]["authorization"] == "Bearer t2"
    with start_script([]) as script:
        async with open_face(kind, script.url, token="t") as face:
            with pytest.raises(ValueError, match="only a client with an API key"):
                await face.call("rotate_key", stored.append)


async def test_a_fixed_token_is_not_replaced(kind: str) -> None:
    with start_script([refusal(401, "invalid_token")]) as script:
        async with open_face(kind, script.url, token="x", retry=QUICK) as face:
            with pytest.raises(Unauthorized):
                await face.call("request", "/v1/me")
        assert len(script.asked) == 1


async def test_a_login_that_fails_for_a_while_is_waited_out_with_the_read(kind: str) -> None:
    with start_script([refusal(503, "unavailable", **NOW), drop, token(1), OK]) as script:
        async with open_face(kind, script.url, api_key="x", retry=QUICK) as face:
            assert (await face.call("request", "/v1/me")).body == {"n": 1}
        assert [target for target in script.targets] == ["/v1/auth/login"] * 3 + ["/v1/me"]


async def test_requests_one_after_the_other_go_over_one_connection(kind: str) -> None:
    answers = [token(1), OK, refusal(404, "not_found"), OK, {"lines": [{"id": "a"}]}, OK]
    with start_script(answers) as script:
        async with open_face(kind, script.url, api_key="x", retry=QUICK) as face:
            await face.call("request", "/v1/me")
            with pytest.raises(Exception, match="not_found"):
                await face.call("request", "/v1/products/x")
            await face.call("request", "/v1/me")
            assert await face.collect("products.export") == [{"id": "a"}]
            await face.call("request", "/v1/me")
        assert script.connections == 1


def test_a_token_is_renewed_in_its_last_minute_by_one_request_while_others_use_it() -> None:
    now = 0.0
    tokens = Tokens(partial(key_login, "key"), 1.0, lambda: now, ExpiryWarning(None))

    def log_in(n: int) -> str:
        """Drive a flow by hand: first the login, then the answer."""
        flow = tokens.get()
        effect = next(flow)
        assert isinstance(effect, LogIn)
        login = effect.begin()
        sent = next(login)
        assert isinstance(sent, Send) and sent.target == "/v1/auth/login"
        body = f'{{"access_token": "t{n}", "expires_in": 3600}}'.encode()
        with pytest.raises(StopIteration) as ended:
            login.send(Reply(200, {}, body))  # type: ignore[arg-type]
        with pytest.raises(StopIteration) as got:
            flow.send(ended.value.value)
        value: str = got.value.value
        return value

    def value_now() -> str:
        with pytest.raises(StopIteration) as got:
            next(tokens.get())
        value: str = got.value.value
        return value

    assert log_in(1) == "t1"
    now = 3539.0
    assert value_now() == "t1"
    now = 3540.0
    waiting = tokens.get()
    effect = next(waiting)
    assert isinstance(effect, LogIn) and not effect.is_needed
    with pytest.raises(StopIteration) as other:
        # Another request renews it.
        waiting.send(None)
    assert other.value.value == "t1"
    failing = tokens.get()
    next(failing)
    with pytest.raises(StopIteration) as still:
        failing.throw(ConnectionFault("x"))
    assert still.value.value == "t1"
    assert log_in(2) == "t2"
    now += 3600.0
    effect = next(tokens.get())
    assert isinstance(effect, LogIn) and effect.is_needed


def test_who_waits_for_a_login_shares_its_refusal_and_the_next_request_tries_anew() -> None:
    tokens = Tokens(partial(key_login, "key"), 1.0, lambda: 0.0, ExpiryWarning(None))
    effects = [next(tokens.get()) for _ in range(3)]
    logins = [effect.begin() for effect in effects if isinstance(effect, LogIn) and effect.is_needed]
    assert len(logins) == 3
    assert isinstance(next(logins[0]), Send)
    with pytest.raises(ConnectionFault):
        logins[0].throw(ConnectionFault("x"))
    for waiting in logins[1:]:
        with pytest.raises(ConnectionFault):
            next(waiting)
    effect = next(tokens.get())
    assert isinstance(effect, LogIn) and isinstance(next(effect.begin()), Send)


async def test_a_login_of_a_cancelled_task_does_not_hurt_those_who_wait_for_it() -> None:
    held = threading.Event()

    def hold(handler: Any) -> None:
        held.wait(10)
        drop(handler)

    with start_script([hold, token(1), OK]) as script:
        async with open_face("AsyncClient", script.url, api_key="x", retry=QUICK) as face:
            outcome: list[Any] = []

            async def read() -> None:
                outcome.append(await face.call("request", "/v1/me"))

            async with anyio.create_task_group() as group:
                first = anyio.CancelScope()

                async def doomed() -> None:
                    with first:
                        await face.call("me")

                group.start_soon(doomed)
                while not script.asked:
                    await anyio.lowlevel.checkpoint()
                group.start_soon(read)
                await anyio.wait_all_tasks_blocked()
                first.cancel()
            held.set()
            assert outcome[0].body == {"n": 1}


def test_a_state_that_breaks_off_is_read_again() -> None:
    def break_off(handler: Any) -> None:
        handler.send_response(200)
        for name, value in {"content-length": "100", "sync-token": "t0"}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(b'{"id": "a"}\n')
        handler.close_connection = True

    states: list[list[str]] = []

    class Store:
        def load_token(self) -> None:
            return None

        def replace_all(self, state: Any, token: str) -> None:
            states.append([token])
            states[-1].extend(change["id"] for change in state)

        def apply(self, changes: Any, token: str) -> None:
            raise AssertionError

    whole = {"headers": {"sync-token": "t1"}, "lines": [{"id": "a"}, {"id": "b"}]}
    with start_script([break_off, whole]) as script, Client(script.url, token="x", retry=QUICK) as client:
        with pytest.raises(ServiceFault):
            client.follow(Store())
        assert states == [["t0", "a"], ["t1", "a", "b"]]


def test_a_follower_stops_in_a_wait_and_between_polls() -> None:
    stop = threading.Event()

    def stop_after(handler: Any) -> None:
        stop.set()
        drop(handler)

    class Store:
        def load_token(self) -> str:
            return "t1"

        def replace_all(self, state: Any, token: str) -> None:
            raise AssertionError

        def apply(self, changes: Any, token: str) -> None:
            raise AssertionError

    with (
        start_script([stop_after]) as script,
        Client(script.url, token="x", retry=Retry(first_delay=3600, max_delay=3600)) as client,
    ):
        client.follow(Store(), stop=stop)
        assert len(script.asked) == 1


def test_either_a_key_or_a_token() -> None:
    with pytest.raises(ValueError):
        Client("http://localhost")
    with pytest.raises(ValueError):
        Client("http://localhost", api_key="a", token="b")
    with pytest.raises(ValueError):
        Client("localhost:3000", token="x")
