"""Query strings, as the service reads them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timezone
from urllib.parse import quote

Query = Mapping[str, object]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        return value.astimezone(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (str, int, float)):
        return str(value)
    raise TypeError(f"{value!r} is no value of a query")


def _escaped(value: object) -> str:
    """Within a list a comma is a separator and a backslash escapes (both of them)."""
    return _text(value).replace("\\", "\\\\").replace(",", "\\,")


def _encoded(text: str) -> str:
    return quote(text, safe="!*'()")


def format_query(query: Query | None) -> str:
    """Return the query's text with its `?`, or nothing. Values that are None are left out."""
    pairs = []
    for name, value in (query or {}).items():
        if value is None:
            continue
        is_list = isinstance(value, (list, tuple, set, frozenset))
        text = ",".join(map(_escaped, value)) if is_list else _text(value)  # type: ignore[call-overload]
        pairs.append(f"{_encoded(name)}={_encoded(text)}")
    return f"?{'&'.join(pairs)}" if pairs else ""


def encode_segment(text: str) -> str:
    """Return a segment of a path: an id or a name."""
    return _encoded(text)
