"""Checks the audit trail: its entries, proofs and signed roots."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, NamedTuple, cast

from typing_extensions import TypedDict

from .errors import ReasonError
from .signatures import from_base64, is_signed_by, to_base64url
from .types import AuditEntry, AuditRoot

_SALT = 16
"""Bytes."""


class AuditError(ReasonError):
    """
    The audit trail is invalid: it was changed, or the files do not belong together. `reason`:
    malformed_statement, unknown_key, wrong_signature, broken_chain, unknown_root, wrong_proof or missing_entry.
    """


class AuditPosition(TypedDict):
    """The end of a check. Store it for the next check, with `after_root` as its `root`."""

    root: int
    """The number of the root of the newest entry."""
    digest: str
    """The hash of the statement of that root."""
    entry: int
    """The number of the newest entry."""


class AuditOutcome(TypedDict):
    """Numbers of valid entries and roots. `position` is for the next check. None if there are no entries yet."""

    entries: int
    roots: int
    position: AuditPosition | None


class VerifiedRoot(NamedTuple):
    """A signed root: its hash, and the hash of its statement."""

    root: str
    digest: str


def _decode(part: str) -> Any:
    data = from_base64(part)
    try:
        return None if data is None else json.loads(data)
    except ValueError:
        return None


def _open(root: AuditRoot, keys: Mapping[str, Mapping[str, Any]], former: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the payload of a statement (JWS, RFC 7515) if one of the keys signed it."""
    id = root["id"]
    parts = root["statement"].split(".")
    header: Any
    said: Any
    header, said = (_decode(part) for part in parts[:2]) if len(parts) == 3 else (None, None)
    is_whole = isinstance(header, dict) and isinstance(said, dict)
    if not is_whole or (header.get("alg"), header.get("typ")) != ("EdDSA", "audit-root+jws"):
        message = f"The statement of root {id} is not a JWS of the type audit-root+jws"
        raise AuditError("malformed_statement", message)
    key = keys.get(str(header.get("kid")), former)
    if key is None:
        raise AuditError("unknown_key", f"Root {id} has an unknown key")
    signature = from_base64(parts[2])
    if signature is None or not is_signed_by(key, signature, f"{parts[0]}.{parts[1]}".encode()):
        raise AuditError("wrong_signature", f"Root {id} has a wrong signature")
    return cast("dict[str, Any]", said)


def verify_audit_roots(
    roots: Iterable[AuditRoot], keys: Iterable[Mapping[str, Any]], after: AuditPosition | None = None
) -> dict[int, VerifiedRoot]:
    """
    Check signed roots, the newest first and without gaps, and return them by number. The newest needs one of
    `keys`. Older roots may use previous keys, because the next newer root names them. Raise AuditError for the first
    invalid root.
    """
    known = {str(key.get("kid")): key for key in keys}
    verified: dict[int, VerifiedRoot] = {}
    newer: dict[str, Any] | None = None
    for each in roots:
        digest = to_base64url(sha256(each["statement"].encode()).digest())
        if newer and newer["previous"] != digest:
            raise AuditError("broken_chain", f"Root {each['id']} is not the one before root {newer['number']}")
        newer = _open(each, known, each["key"] if newer else None)
        verified[newer["number"]] = VerifiedRoot(newer["root"], digest)
    if after and newer and newer["previous"] != after["digest"]:
        message = f"Root {newer['number']} does not follow root {after['root']} of the last check"
        raise AuditError("broken_chain", message)
    return verified


def _canonical(value: Any) -> str:
    """RFC 8785: names in the order of their UTF-16, no white space. Entries have no fractions."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_canonical(name)}:{_canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _root_of(entry: AuditEntry) -> str | None:
    """Return the root hash of a proof (RFC 6962). None if a tree with this path does not have this position."""
    proof = entry["proof"]
    salt = from_base64(proof["salt"])
    if salt is None or len(salt) != _SALT:
        return None
    found = sha256(b"\0" + salt + _canonical(entry["entry"]).encode()).digest()
    place = proof["index"]
    for each in proof["path"]:
        sibling = from_base64(each)
        if sibling is None:
            return None
        found = sha256(b"\1" + (sibling + found if place % 2 else found + sibling)).digest()
        place //= 2
    return to_base64url(found) if place == 0 else None


def verify_audit_entry(entry: AuditEntry, roots: Mapping[int, VerifiedRoot]) -> VerifiedRoot:
    """Check that an entry belongs to its signed root, and return the root. Raise AuditError if it does not."""
    number, root = entry["entry"]["number"], entry["proof"]["root"]
    known = roots.get(root)
    if known is None:
        message = f"Entry {number} names root {root}, which is not here: read the roots after the entries"
        raise AuditError("unknown_root", message)
    if _root_of(entry) != known.root:
        raise AuditError("wrong_proof", f"Entry {number} does not lead to root {root}")
    return known


def verify_audit(
    entries: Iterable[AuditEntry],
    roots: Iterable[AuditRoot],
    keys: Iterable[Mapping[str, Any]],
    after: AuditPosition | None = None,
) -> AuditOutcome:
    """
    Check signatures and chain of the roots, the proof of every entry, and that no entry is missing. Both lists must
    be complete, the newest first. Read the roots after the entries. `keys`: the array of the key set of the service.
    `after`: the end of the last check. Raise AuditError, which names the first invalid entry or root.
    """
    verified = verify_audit_roots(roots, keys, after)
    position, last, count = after, None, 0
    for each in entries:
        known = verify_audit_entry(each, verified)
        number = each["entry"]["number"]
        _require_next(number, last)
        if last is None:
            position = {"root": each["proof"]["root"], "digest": known.digest, "entry": number}
        last = number
        count += 1
    if after and last is not None:
        _require_next(after["entry"], last)
    return {"entries": count, "roots": len(verified), "position": position}


def _require_next(number: int, last: int | None) -> None:
    """Raise unless numbers decrease by one."""
    if last is not None and number != last - 1:
        raise AuditError("missing_entry", f"Entry {last - 1} is missing: entry {number} comes after entry {last}")
