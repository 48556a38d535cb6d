"""The service's CSV: cells to values, and values to cells."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Literal, cast

CsvKind = Literal["text", "list", "number", "boolean", "json"]

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NEEDS_QUOTES = re.compile(r'[",\r\n]')
_CELL_AND_END = re.compile(r'("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|\Z)')
_ITEM_PART = re.compile(r"\\.|[^\\;]+|;", re.DOTALL)


def _guard(text: str) -> str:
    """Prevent a spreadsheet from reading the text as a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def _unguard(text: str) -> str:
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _content(value: object, kind: CsvKind) -> str:
    if kind in ("json", "number", "boolean"):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if kind == "list":
        items = cast("Sequence[str]", value)
        return _guard(";".join(re.sub(r"([;\\])", r"\\\1", item) for item in items))
    return _guard(str(value))


def format_cell(value: object, kind: CsvKind) -> str:
    """Return the cell of the service's CSV for a value. Empty for None and for a list without texts."""
    if value is None or (kind == "list" and value == []):
        return ""
    text = _content(value, kind)
    if text and not _NEEDS_QUOTES.search(text):
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _split_list(text: str) -> list[str]:
    items = [""]
    for part in _ITEM_PART.findall(text):
        if part == ";":
            items.append("")
        else:
            items[-1] += part[1:] if part.startswith("\\") else part
    return items


def parse_cell(cell: str, kind: CsvKind) -> Any:
    """
    Return the value of a cell that `split_csv` returned. An empty cell is None, or a list without texts. Remove the
    `'` that guards against formulas.
    """
    if cell == "":
        return [] if kind == "list" else None
    text = cell[1:-1].replace('""', '"') if cell.startswith('"') else cell
    if kind == "text":
        return _unguard(text)
    if kind == "list":
        return _split_list(_unguard(text))
    return json.loads(text)


def split_csv(text: str) -> list[list[str]]:
    """Return the rows of a CSV text, the header first. Cells keep their quotes: `""` is not empty."""
    rows: list[list[str]] = []
    row: list[str] = []
    at = 0
    while at < len(text) or row:
        match = _CELL_AND_END.match(text, at)
        if not match:
            raise ValueError(f"no CSV at character {at}")
        at = match.end()
        row.append(match[1])
        if match[2] != ",":
            rows.append(row)
            row = []
    return rows
