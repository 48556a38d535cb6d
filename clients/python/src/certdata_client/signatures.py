"""Bytes and signatures. They need the package `cryptography`, an extra of this one."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

HINT = "This needs the package cryptography: pip install cryptography"


def from_base64(text: str) -> bytes | None:
    """Read base64 or base64url, with or without padding. Return None if the text is neither."""
    plain = re.sub(r"=+$", "", text).replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def to_base64url(data: bytes) -> str:
    """Return base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def is_signed_by(key: Mapping[str, Any], signature: bytes, signed: bytes) -> bool:
    """Whether this public key (RFC 8037) signed these bytes. A key of another kind signed nothing."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise ImportError(HINT) from error
    x = from_base64(str(key.get("x", "")))
    if key.get("kty") != "OKP" or key.get("crv") != "Ed25519" or x is None or len(x) != 32:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(x).verify(signature, signed)
    except InvalidSignature:
        return False
    return True
