"""The command `certdata-client`."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from functools import partial

from .client import Client
from .errors import CertdataError
from .listen import listen

_INTERRUPTED = 130


def _parser() -> ArgumentParser:
    parser = ArgumentParser("certdata-client", description="A client of the Certification Data API", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser(
        "listen",
        allow_abbrev=False,
        help="send signed webhook messages about your changes to an address of this machine",
    )
    command.add_argument("--forward", required=True, help="your receiver: localhost, 127.0.0.1 or [::1]")
    command.add_argument("--url", default=os.environ.get("CERTDATA_URL"), help="the service (default: CERTDATA_URL)")
    # Never from an argument: other users of the machine can see arguments.
    command.add_argument(
        "--key", choices=["-"], help="read the API key from standard input (default: CERTDATA_API_KEY)"
    )
    command.add_argument("--resources", help="only these, separated by commas (default: all that the key may read)")
    return parser


def main() -> int:
    """Run a command, and return its exit code. Faults of the command line end the process with 2."""
    parser = _parser()
    given = parser.parse_args()
    if not given.url:
        parser.error("no service: set CERTDATA_URL or --url")
    resources = given.resources.split(",") if given.resources else None
    try:
        key = sys.stdin.read().strip() if given.key else os.environ.get("CERTDATA_API_KEY")
        if not key:
            parser.error("no API key: set CERTDATA_API_KEY, or write the key to standard input with --key -")
        with Client(given.url, api_key=key) as client:
            listen(client, given.forward, log=partial(print, flush=True), resources=resources)
    except (CertdataError, ImportError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
