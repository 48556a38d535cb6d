"""Webhooks on this machine: the command `listen`, and its messages."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest
from script import Script, drop, refusal, start_script
from service import Service
from test_helpers import import_product

from certdata_client import Client, WebhookMessage, verify_webhook
from certdata_client.__main__ import main
from certdata_client.addresses import parse_local
from certdata_client.listen import LocalDelivery, ReceiverFault, ShortRetries, listen

QUICK = ShortRetries(first_delay=0.001, longest_delay=0.004)
OK = {"status": 204}
FEED = {"body": {"data": [], "page": {"has_more": False, "next_token": "t0"}}}


def read_messages(script: Script, key: dict[str, str]) -> list[WebhookMessage]:
    """Verify and return the messages of a receiver."""
    return [
        verify_webhook(headers, body, [key]) for (_, headers), body in zip(script.asked, script.bodies, strict=True)
    ]


@contextmanager
def start_command(*words: str, key: str = "", **env: str) -> Iterator[subprocess.Popen[str]]:
    """Run the command until the end of the block, with the key on standard input."""
    with TemporaryFile("w+") as keys:
        keys.write(key)
        keys.seek(0)
        with subprocess.Popen(
            [sys.executable, "-m", "certdata_client", *words],
            stdin=keys,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={"PATH": os.environ["PATH"], **env},
        ) as process:
            try:
                yield process
            finally:
                process.kill()


def test_the_command_forwards_signed_messages_and_ends_on_ctrl_c(
    service: Service, tmp_path: Path, writer_key: str
) -> None:
    with start_script([OK, {"status": 500, "headers": {"retry-after": "0"}}, OK]) as script:
        words = ["listen", "--forward", f"{script.url}/hook", "--url", service.url, "--resources", "products"]
        with start_command(*words, "--key", "-", key=f"{writer_key}\n") as process:
            assert process.stdout
            printed = [process.stdout.readline() for _ in range(4)]
            assert printed[0].startswith("Public key: whpk_"), "".join(printed)
            assert printed[3].startswith("webhook.test ") and printed[3].endswith(": 204\n")
            import_product(service, tmp_path, "Listened to", "Acme")
            printed += [process.stdout.readline() for _ in range(2)]
            assert printed[4].endswith("(products): 500, again in 1 s\n") and printed[5].endswith(": 204\n")
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 130
        test, failed, repeated = read_messages(script, json.loads(printed[1].split(": ", 1)[1]))
    assert (test["type"], test["data"]) == ("webhook.test", {"resources": ["products"]})
    assert repeated == failed and repeated["type"] == "changes.available"
    with Client(service.url, api_key=writer_key) as client:
        [page] = client.changes({"after": repeated["data"]["after"], "resources": ["products"]})
    assert [change["id"] for change in page["data"]] == ["P-900"]


def test_the_commands_of_the_account_print_json(service: Service) -> None:
    def read(*words: str) -> Any:
        with start_command(*words, "--key", "-", key=service.api_key, CERTDATA_URL=service.url) as process:
            output, _ = process.communicate(timeout=60)
            assert process.returncode == (1 if "(not_found, 404)" in output else 0), output
            return output if process.returncode else json.loads(output)

    assert service.api_key.split("_")[2] in [key["id"] for key in read("keys")]
    assert read("usage")["counted"]["write_seconds"] == 60
    assert read("webhooks") == []
    assert "(not_found, 404)" in read("deliveries", "wh_none")


KEY = {"CERTDATA_API_KEY": "x"}
LOCAL = ["listen", "--forward", "http://localhost:1/hook"]
ANYWHERE = {"CERTDATA_URL": "http://localhost:1"}


@pytest.mark.parametrize(
    ("words", "env", "code", "reason"),
    [
        (["listen"], {}, 2, "--forward"),
        (LOCAL, KEY, 2, "no service: set CERTDATA_URL or --url"),
        (LOCAL, ANYWHERE, 2, "no API key: set CERTDATA_API_KEY"),
        ([*LOCAL, "--key", "-"], ANYWHERE, 2, "no API key: set CERTDATA_API_KEY"),
        ([*LOCAL, "--key", "cda_live_x"], ANYWHERE, 2, "invalid choice"),
        (LOCAL, {"CERTDATA_URL": "localhost:1", **KEY}, 1, "for example http://localhost:1\n"),
        (["listen", "--forward", "http://example.com"], {**ANYWHERE, **KEY}, 1, "this machine"),
        (LOCAL, {"CERTDATA_URL": "", **KEY}, 1, "(invalid_api_key, 401)"),
        (["keys", "--forward", "x"], {**ANYWHERE, **KEY}, 2, "unrecognized arguments: --forward"),
        (["deliveries"], {**ANYWHERE, **KEY}, 2, "required: id"),
        (["usage"], {"CERTDATA_URL": "", **KEY}, 1, "(invalid_api_key, 401)"),
    ],
)
def test_the_command_names_its_faults_and_takes_no_key_as_an_argument(
    words: list[str],
    env: dict[str, str],
    code: int,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["certdata-client", *words])
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    with start_script([refusal(401, "invalid_api_key")]) as service:
        if env.get("CERTDATA_URL") == "":
            monkeypatch.setenv("CERTDATA_URL", service.url)
        with pytest.raises(SystemExit) as ended:
            sys.exit(main())
    assert ended.value.code == code
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.8.7", "[::1]"])
def test_a_receiver_on_this_machine_may_use_plain_http(host: str) -> None:
    assert parse_local(f"http://{host}:8080/hook?a=b") == f"http://{host}:8080/hook?a=b"


@pytest.mark.parametrize(
    "address",
    [
        "http://example.com/hook",
        "http://localhost.example.com/hook",
        "http://10.0.0.1/hook",
        "http://127.0.0.1@example.com/hook",
        "http://me@localhost/hook",
        "http://[::ffff:10.0.0.1]/hook",
        "ftp://localhost/hook",
        "localhost:8080/hook",
        "/hook",
        "",
    ],
)
def test_other_machines_are_refused_before_any_request(address: str) -> None:
    with start_script([]) as service, Client(service.url, token="x") as client:
        with pytest.raises(ValueError, match="not an address of this machine"):
            listen(client, address, log=print)
        assert service.asked == []


def test_a_message_is_repeated_under_one_id_with_a_signature_each() -> None:
    lines: list[str] = []
    answers: list[Any] = [
        drop,
        {"status": 302, "headers": {"location": "/"}},
        {"status": 200, "body": "x" * 20_000},
        OK,
    ]
    with start_script(answers) as script:
        delivery = LocalDelivery(script.url, lines.append, QUICK)
        delivery.send("changes.available", ["products"], "t1")
        messages = read_messages(script, delivery.keys.jwk)
        delivery.close()
    assert messages == [messages[0]] * 4 and messages[0]["data"] == {"resources": ["products"], "after": "t1"}
    assert [line.split("): ")[1] for line in lines[1:]] == [
        "302, again in 0.002 s",
        "the answer is larger than 16 KiB, again in 0.004 s",
        "204",
    ]


def test_the_key_file_keeps_one_signing_key_between_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "listen-key.pem"
    keys: list[str] = []
    monkeypatch.setenv("CERTDATA_API_KEY", "x")

    def run(*words: str) -> str:
        login = {"body": {"access_token": "t", "token_type": "Bearer", "expires_in": 3600, "scope": ""}}
        with start_script([login, FEED]) as service, start_script([{"status": 410}]) as receiver:
            command = ["listen", "--forward", receiver.url, "--url", service.url, "--resources", "products", *words]
            monkeypatch.setattr(sys, "argv", ["certdata-client", *command])
            assert main() == 1
            printed = capsys.readouterr()
            if receiver.asked:
                key = json.loads(printed.out.split("JSON Web Key: ")[1].splitlines()[0])
                read_messages(receiver, key)
                keys.append(key["x"])
        return printed.err

    for _ in range(2):
        assert "would disable the webhook" in run("--key-file", str(file))
    run()
    assert keys[0] == keys[1] != keys[2]
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    assert f"run chmod 600 {file}" in run("--key-file", str(file))
    file.write_text("no key")
    file.chmod(0o600)
    assert "Expected a private key of Ed25519" in run("--key-file", str(file))
    assert len(keys) == 3


def test_410_and_a_long_failure_end_it_as_they_would_disable_a_webhook() -> None:
    patient = ShortRetries(first_delay=0.001, longest_delay=0.001, give_up=0.0)
    for status, retries, reason in ((410, QUICK, "would disable"), (500, patient, "After three days")):
        with start_script([{"status": status}]) as receiver, start_script([FEED]) as service:
            with Client(service.url, token="x") as client, pytest.raises(ReceiverFault, match=reason):
                listen(client, receiver.url, log=print, resources=["products"], retries=retries)
            assert len(receiver.asked) == 1


def test_a_token_that_the_feed_refuses_becomes_a_message_to_read_everything() -> None:
    expired = refusal(410, "sync_token_expired")
    state = {"headers": {"sync-token": "t1"}, "lines": []}
    with start_script([FEED, expired, state]) as service, start_script([OK, {"status": 410}]) as receiver:
        with Client(service.url, token="x") as client, pytest.raises(ReceiverFault):
            listen(client, receiver.url, log=print, resources=["products"], retries=QUICK)
        assert json.loads(receiver.bodies[1])["data"] == {"resources": ["products"], "after": "snapshot"}
