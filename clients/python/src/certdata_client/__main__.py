"""The command `certdata-client`."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path

from .client import Client
from .errors import CertdataError
from .listen import create_key_pem, listen

_INTERRUPTED = 130
_OTHERS_MAY_USE = 0o077


def _parser() -> ArgumentParser:
    parser = ArgumentParser("certdata-client", description="A client of the Certification Data API", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    shared = ArgumentParser(add_help=False, allow_abbrev=False)
    shared.add_argument("--url", default=os.environ.get("CERTDATA_URL"), help="the service (default: CERTDATA_URL)")
    # Never from an argument: other users of the machine can see arguments.
    shared.add_argument("--key", choices=["-"], help="read the API key from standard input (default: CERTDATA_API_KEY)")

    def add(name: str, purpose: str) -> ArgumentParser:
        return commands.add_parser(name, allow_abbrev=False, help=purpose, parents=[shared])

    command = add("listen", "send signed webhook messages about your changes to an address of this machine")
    command.add_argument("--forward", required=True, help="your receiver: localhost, 127.0.0.1 or [::1]")
    command.add_argument("--key-file", help="keep the signing key in this file (default: a new key for each run)")
    command.add_argument("--resources", help="only these, separated by commas (default: all that the key may read)")
    add("keys", "print the API keys of your company as JSON, without their secrets")
    add("usage", "print your requests of 31 days by day and endpoint as JSON")
    add("webhooks", "print your webhooks with their state as JSON")
    add("deliveries", "print the last 20 attempts of a webhook as JSON").add_argument("id", help="id of the webhook")
    return parser


def _listen(client: Client, given: Namespace) -> None:
    resources = given.resources.split(",") if given.resources else None
    key = _read_signing_key(Path(given.key_file)) if given.key_file else None
    listen(client, given.forward, log=partial(print, flush=True), resources=resources, key=key)


_READS: dict[str, Callable[[Client, Namespace], object]] = {
    "keys": lambda client, _: client.list_keys(),
    "usage": lambda client, _: client.get_usage(),
    "webhooks": lambda client, _: client.list_webhooks(),
    "deliveries": lambda client, given: client.list_webhook_deliveries(given.id),
}


def _read_signing_key(file: Path) -> bytes:
    """Return the key of this file, which is created with a new key if it does not exist."""
    if not file.exists():
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as created:
            created.write(create_key_pem())
    # Windows has no such modes.
    if os.name == "posix" and file.stat().st_mode & _OTHERS_MAY_USE:
        raise ValueError(f"Other users may read the signing key: run chmod 600 {file}")
    return file.read_bytes()


def main() -> int:
    """Run a command, and return its exit code. Faults of the command line end the process with 2."""
    parser = _parser()
    given = parser.parse_args()
    if not given.url:
        parser.error("no service: set CERTDATA_URL or --url")
    try:
        key = sys.stdin.read().strip() if given.key else os.environ.get("CERTDATA_API_KEY")
        if not key:
            parser.error("no API key: set CERTDATA_API_KEY, or write the key to standard input with --key -")
        with Client(given.url, api_key=key) as client:
            if read := _READS.get(given.command):
                print(json.dumps(read(client, given), indent=2))
            else:
                _listen(client, given)
    except (CertdataError, ImportError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
