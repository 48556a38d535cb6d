"""Webhooks on this machine: signed messages about the customer's changes, for trying a receiver."""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import NamedTuple

import httpx

from .addresses import parse_local
from .client import Client
from .errors import CertdataError, parse_retry_after
from .signatures import HINT, to_base64url
from .types import Change

_TIMEOUT = 10.0
"""Seconds, for each step of an attempt. Equal to the service's limit."""
_MAX_ANSWER_BYTES = 16 * 1024
_SPACING = 0.5
"""Seconds. The service's pause after a message. Changes during the pause become one message."""


@dataclass(frozen=True)
class ShortRetries:
    """In seconds. The service waits 10 s to one hour, and gives up after three days."""

    first_delay: float = 1.0
    longest_delay: float = 10.0
    give_up: float = 300.0


class ReceiverFault(CertdataError):
    """The receiver answered 410 or failed for too long, which would disable a webhook."""


def create_key_pem() -> bytes:
    """Create a private key of Ed25519 as PEM (PKCS #8)."""
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    except ImportError as error:
        raise ImportError(HINT) from error
    return Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


class SigningKeys:
    """The key pair of a private key, as PEM. Raise ValueError for any other text."""

    def __init__(self, pem: bytes) -> None:
        try:
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
            from cryptography.hazmat.primitives.serialization import load_pem_private_key
        except ImportError as error:
            raise ImportError(HINT) from error
        try:
            private = load_pem_private_key(pem, None)
        except (TypeError, ValueError):
            private = None
        if not isinstance(private, Ed25519PrivateKey):
            raise ValueError("Expected a private key of Ed25519 as PEM (PKCS #8)")
        self._private = private
        raw = private.public_key().public_bytes_raw()
        self.jwk = {"kty": "OKP", "crv": "Ed25519", "x": to_base64url(raw)}
        self.whpk = f"whpk_{base64.b64encode(raw).decode()}"
        """The public key in the format of Standard Webhooks."""

    def sign(self, id: str, timestamp: int, body: bytes) -> str:
        """Return the header `webhook-signature`."""
        signature = self._private.sign(f"{id}.{timestamp}.".encode() + body)
        return f"v1a,{base64.b64encode(signature).decode()}"


class _Attempt(NamedTuple):
    status: int
    """0 without an answer."""
    result: str
    retry_after: float


class LocalDelivery:
    """Sends messages to an address of this machine. Raise ValueError for another address."""

    def __init__(
        self,
        forward: str,
        log: Callable[[str], object],
        retries: ShortRetries,
        key: bytes | None = None,
    ) -> None:
        self.address = parse_local(forward)
        self.keys = SigningKeys(key or create_key_pem())
        self._log = log
        self._retries = retries
        # The proxy in the environment cannot reach this machine.
        self._http = httpx.Client(trust_env=False, timeout=_TIMEOUT)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(self, type: str, resources: Sequence[str], after: str | None = None) -> None:
        """Send a message until the receiver accepts it. Raise ReceiverFault if a webhook would be disabled."""
        id = f"msg_{secrets.token_urlsafe(16)}"
        data = {"resources": list(resources), **({} if after is None else {"after": after})}
        timestamp = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        body = json.dumps({"type": type, "timestamp": timestamp, "data": data}, separators=(",", ":")).encode()
        began_at, delay = time.monotonic(), self._retries.first_delay
        while True:
            status, result, retry_after = self._attempt(id, body)
            line = f"{type} {id} ({', '.join(resources)}): {result}"
            if 200 <= status < 300:
                self._log(line)
                return
            if status == 410:
                raise ReceiverFault(f"{line}. The service would disable the webhook")
            if time.monotonic() - began_at >= self._retries.give_up:
                raise ReceiverFault(f"{line}. After three days like this, the service would disable the webhook")
            wait = max(delay, min(retry_after, self._retries.longest_delay))
            self._log(f"{line}, again in {wait:g} s")
            time.sleep(wait)
            delay = min(delay * 2, self._retries.longest_delay)

    def _attempt(self, id: str, body: bytes) -> _Attempt:
        timestamp = int(time.time())
        headers = {
            "content-type": "application/json",
            "user-agent": "certdata-webhooks",
            "webhook-id": id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": self.keys.sign(id, timestamp, body),
        }
        try:
            answer = self._http.post(self.address, content=body, headers=headers)
        except httpx.HTTPError as error:
            return _Attempt(0, str(error) or type(error).__name__, 0.0)
        if len(answer.content) > _MAX_ANSWER_BYTES:
            return _Attempt(0, "the answer is larger than 16 KiB", 0.0)
        retry_after = parse_retry_after(answer.headers.get("retry-after"), time.time()) or 0.0
        return _Attempt(answer.status_code, str(answer.status_code), retry_after)


class _Forwarding:
    """A store that keeps only the token, and forwards a message for each page of changes."""

    def __init__(self, delivery: LocalDelivery, resources: Sequence[str], token: str) -> None:
        self._delivery = delivery
        self._resources = resources
        self._token = token

    def load_token(self) -> str:
        return self._token

    def apply(self, changes: Sequence[Change], token: str) -> None:
        changed = {change["resource"] for change in changes}
        if changed:
            named = [name for name in self._resources if name in changed]
            self._delivery.send("changes.available", named, self._token)
            time.sleep(_SPACING)
        self._token = token

    def replace_all(self, state: Iterator[Change], token: str) -> None:
        """The service refused the token: the receiver has to read everything again."""
        for _ in state:
            pass
        self._delivery.send("changes.available", self._resources, "snapshot")
        self._token = token


def _list_readable(client: Client) -> list[str]:
    scopes = [scope.removesuffix(":read") for scope in client.me()["scopes"] if scope.endswith(":read")]
    return [name for name in scopes if name not in ("changes", "audit")]


def listen(
    client: Client,
    forward: str,
    *,
    log: Callable[[str], object],
    resources: Sequence[str] | None = None,
    retries: ShortRetries | None = None,
    key: bytes | None = None,
) -> None:
    """
    Send webhook messages about the customer's changes to an address of this machine, without end, signed with
    `key`, a private key of Ed25519 as PEM, or with a new one. Send a test message first. `resources` defaults to all
    that the API key may read. Raise ReceiverFault if a webhook would be disabled, ValueError if `forward` is another
    machine, and refusals of the service that waiting cannot cure.
    """
    delivery = LocalDelivery(forward, log, retries or ShortRetries(), key)
    try:
        names = list(resources) if resources else _list_readable(client)
        token = next(iter(client.changes({"resources": names})))["page"]["next_token"]
        log(f"Public key: {delivery.keys.whpk}")
        log(f"Public key as JSON Web Key: {json.dumps(delivery.keys.jwk)}")
        log(f"Changes of {', '.join(names)} are sent to {delivery.address}")
        delivery.send("webhook.test", names)
        client.follow(_Forwarding(delivery, names, token), resources=names)
    finally:
        delivery.close()
