"""Webhooks: the check that the service sent a message (Standard Webhooks, `v1a`: Ed25519)."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import NotRequired, TypedDict

from .errors import CertdataError
from .signatures import from_base64, is_signed_by

if TYPE_CHECKING:
    from .core import Core
    from .flow import Flow

PATH = "/.well-known/webhook-keys.json"
_KEEP = 3600.0
"""Seconds. The service recommends to keep its keys for an hour."""
_READ_AGAIN = 60.0
"""Seconds. Forged messages cause at most one read of the keys in this time."""


class WebhookError(CertdataError):
    """
    Why a message is not taken; answer it with 400. `reason`: missing_header, malformed_timestamp, too_old, too_new,
    no_signature, wrong_signature or malformed_body.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class WebhookData(TypedDict):
    """The changed resources, and `after` for the change feed. A test message has no `after`."""

    resources: NotRequired[list[str]]
    after: NotRequired[str]


class WebhookMessage(TypedDict):
    """A message that the service signed."""

    id: str
    """Equal in all attempts to send the message."""
    type: str
    """changes.available or webhook.test. More types may be added."""
    timestamp: str
    data: WebhookData


def _require(headers: Mapping[str, str], name: str) -> str:
    value = next((value for each, value in headers.items() if each.lower() == name), None)
    if not value:
        raise WebhookError("missing_header", f"The header {name} is missing: does a proxy remove it?")
    return value


def _require_time(timestamp: str, now: float, tolerance: int) -> None:
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookError("malformed_timestamp", "webhook-timestamp is no number of seconds since 1970")
    age = int(now) - int(timestamp)
    if abs(age) > tolerance:
        reason, word = ("too_old", "old") if age > 0 else ("too_new", "ahead")
        message = f"The message is {abs(age)} s {word}, over {tolerance} s: is this machine's clock right?"
        raise WebhookError(reason, message)


def _decode(id: str, body: bytes) -> WebhookMessage:
    try:
        message = json.loads(body)
    except ValueError:
        message = None
    if not isinstance(message, dict):
        raise WebhookError("malformed_body", "The body is no JSON object")
    return cast(WebhookMessage, {"id": id, **message})


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes | str,
    keys: Iterable[Mapping[str, Any]],
    *,
    now: float | None = None,
    tolerance: int = 300,
) -> WebhookMessage:
    """
    Return the message of a webhook that the service signed in the last five minutes. `body`: the received bytes.
    `keys`: the array of the key document. `tolerance` is in seconds. Raise WebhookError, which names the fault.
    """
    id, timestamp = _require(headers, "webhook-id"), _require(headers, "webhook-timestamp")
    signatures = [each for each in _require(headers, "webhook-signature").split(" ") if each.startswith("v1a,")]
    if not isinstance(body, (bytes, bytearray, str)):
        raise TypeError("Give the body as it came, as bytes or text: a JSON parser before this changes it")
    content = body.encode() if isinstance(body, str) else bytes(body)
    _require_time(timestamp, time.time() if now is None else now, tolerance)
    if not signatures:
        raise WebhookError("no_signature", "webhook-signature has no signature of Ed25519 (v1a)")
    signed = f"{id}.{timestamp}.".encode() + content
    known = list(keys)
    # A message has several signatures during a key change.
    found = [from_base64(each[len("v1a,") :]) for each in signatures]
    if not any(is_signed_by(key, signature, signed) for signature in found if signature for key in known):
        message = (
            f"None of {len(known)} keys signed this: is the body as it came, and are the keys those of the service?"
        )
        raise WebhookError("wrong_signature", message)
    return _decode(id, content)


class WebhookVerifier:
    """
    Verifies messages with cached keys. Caches them for an hour, and reads them again, at most once a minute, if no
    signature matches.
    """

    def __init__(self, core: Core, clock: Callable[[], float] = time.time) -> None:
        self._core = core
        self._clock = clock
        self._kept: tuple[float, Sequence[Mapping[str, Any]]] | None = None

    def _find(self, max_age: float) -> Flow[Sequence[Mapping[str, Any]]]:
        kept = self._kept
        if kept and self._clock() - kept[0] < max_age:
            return kept[1]
        keys = (yield from self._core.read(PATH, fresh=True)).body["keys"]
        self._kept = (self._clock(), keys)
        return cast("Sequence[Mapping[str, Any]]", keys)

    def verify(self, headers: Mapping[str, str], body: bytes | str) -> Flow[WebhookMessage]:
        """See `verify_webhook`."""
        keys = yield from self._find(_KEEP)
        try:
            return verify_webhook(headers, body, keys, now=self._clock())
        except WebhookError as error:
            newer = (yield from self._find(_READ_AGAIN)) if error.reason == "wrong_signature" else keys
            if newer is keys:
                raise
        return verify_webhook(headers, body, newer, now=self._clock())
