"""The assertion by which a client that signs proves itself (`private_key_jwt`, RFC 7523)."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Union

from .signatures import HINT, to_base64url

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

PrivateKey = Union[str, bytes, "Ed25519PrivateKey", "EllipticCurvePrivateKey", "RSAPrivateKey"]
"""PEM, or a key of the package cryptography: Ed25519, P-256 or RSA."""

_LIFE = 120
"""
Seconds for which an assertion is valid. The service accepts at most one hour, and 30 s after the end: this clock may
be 2.5 minutes behind, or 58 minutes ahead.
"""
_EXPECTED = "expected a private key of Ed25519, P-256 or RSA"


def _open_key(given: PrivateKey) -> tuple[str, Callable[[bytes], bytes]]:
    """Return the algorithm (RFC 7518, section 3.1, and RFC 8037) and a function that signs."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError as error:
        raise ImportError(HINT) from error
    key: object = given
    if isinstance(given, (str, bytes)):
        try:
            key = load_pem_private_key(given.encode() if isinstance(given, str) else given, None)
        except Exception as error:
            raise ValueError(f"{_EXPECTED} as PEM (BEGIN PRIVATE KEY) without a password") from error
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return "EdDSA", key.sign
    if isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1):
        curve = key

        def sign(data: bytes) -> bytes:
            pair = utils.decode_dss_signature(curve.sign(data, ec.ECDSA(SHA256())))
            return b"".join(number.to_bytes(32, "big") for number in pair)

        return "ES256", sign
    if isinstance(key, rsa.RSAPrivateKey):
        modulus = key
        return "PS256", lambda data: modulus.sign(data, padding.PSS(padding.MGF1(SHA256()), 32), SHA256())
    raise ValueError(_EXPECTED)


def _encode(part: object) -> str:
    return to_base64url(json.dumps(part, ensure_ascii=False, separators=(",", ":")).encode())


def create_assertion(
    client_id: str,
    private_key: PrivateKey,
    audience: str,
    *,
    kid: str | None = None,
    now: float | None = None,
    jti: str | None = None,
) -> str:
    """
    Return a JWT for the token endpoint. `audience` is the origin of the service, as configured there (`PUBLIC_URL`).
    `kid` is the name of the key. It is needed if the operator has registered several keys of this kind. Raise
    ValueError if the key cannot sign.
    """
    algorithm, sign = _open_key(private_key)
    header = {"alg": algorithm, **({} if kid is None else {"kid": kid})}
    claims = {
        "iss": client_id,
        "sub": client_id,
        "aud": audience,
        "exp": int(time.time() if now is None else now) + _LIFE,
        # The service accepts each id once.
        "jti": jti or str(uuid.uuid4()),
    }
    signed = f"{_encode(header)}.{_encode(claims)}"
    return f"{signed}.{to_base64url(sign(signed.encode()))}"
