"""Addresses of the service and of receivers on this machine."""

from __future__ import annotations

import re

import httpx

_PARTS = re.compile(r"(?:([a-z][a-z0-9+.-]*)://)?(?:[^/?#@]*@)?([^/?#@\\\s]*)", re.IGNORECASE)
"""Scheme and host with port, for a correction."""


def _try_url(text: str) -> httpx.URL | None:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        return None
    return url if url.host and (url.port or 0) <= 65535 else None


def _is_loopback(url: httpx.URL) -> bool:
    return re.fullmatch(r"localhost|127\.\d+\.\d+\.\d+|::1", url.host) is not None


def _to_origin(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode()}"


def _correct(text: str) -> str:
    found = _PARTS.match(text)
    scheme, host = (found[1] or "", found[2]) if found else ("", "")
    url = _try_url(f"http://{host}")
    if url is None:
        return "https://api.example.com"
    if scheme.lower() not in ("http", "https"):
        scheme = "http" if _is_loopback(url) else "https"
    return _to_origin(url.copy_with(scheme=scheme.lower()))


def parse_origin(given: str | None) -> str:
    """Return the origin of a service. Raise ValueError with the corrected form unless the text is only that."""
    text = (given or "").strip()
    url = _try_url(text) if re.fullmatch(r"https?://[^/?#@\\\s]+/?", text, re.IGNORECASE) else None
    if url is None:
        raise ValueError(
            "The address of the service is http:// or https:// and a host, without a path, for example "
            + _correct(text)
        )
    return _to_origin(url)


def parse_local(text: str) -> str:
    """Return the address of a receiver on this machine. Raise ValueError for any other address."""
    url = _try_url(text)
    if url and url.scheme in ("http", "https") and _is_loopback(url) and not url.userinfo:
        return str(url)
    raise ValueError(
        f'"{text}" is not an address of this machine: use localhost, 127.0.0.1 or [::1], '
        "for example http://localhost:8080/hook"
    )
