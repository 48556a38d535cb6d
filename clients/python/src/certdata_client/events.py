"""Server-sent events."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

_LINE_END = re.compile("\r\n|\r|\n")
_DIGITS = re.compile("[0-9]+")


class ServerEvent(NamedTuple):
    """An event of a stream."""

    type: str
    """By default `message`."""
    data: str
    id: str
    """The last id in the stream. Empty if there was none."""


class EventParser:
    """
    Reads one stream of server-sent events (HTML Standard, section 9.2.6, "Interpreting an event stream"). Keeps
    incomplete lines between two pieces. Lines end with CR, LF or both. Removes a byte order mark at the beginning.
    Invalid UTF-8 becomes U+FFFD.
    """

    def __init__(self) -> None:
        self.last_event_id = ""
        """The id at the end of the last block, also of a block without data. Empty if there was none."""
        self.retry_ms: int | None = None
        """Milliseconds to wait before connecting again. None if the stream did not set it."""
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._rest = ""
        self._ends_with_cr = False
        """The last piece ended with CR. An LF at the beginning of the next one belongs to the same line end."""
        self._type = ""
        self._data: list[str] = []
        self._id = ""

    def push(self, piece: bytes) -> list[ServerEvent]:
        """Return the events that end in these bytes. Drop an incomplete event at the end of the stream."""
        text = self._decoder.decode(piece)
        if not text:
            return []
        new = text[1:] if self._ends_with_cr and text[0] == "\n" else text
        *lines, self._rest = _LINE_END.split(self._rest + new)
        self._ends_with_cr = text[-1] == "\r"
        return [event for line in lines if (event := self._take_line(line))]

    def _take_line(self, line: str) -> ServerEvent | None:
        """Return the event that this line ends, or None."""
        if line:
            # A line that begins with a colon is a comment: a field without a name.
            name, _, value = line.partition(":")
            self._take_field(name, value.removeprefix(" "))
            return None
        self.last_event_id = self._id
        event = ServerEvent(self._type or "message", "\n".join(self._data), self._id) if self._data else None
        self._type, self._data = "", []
        return event

    def _take_field(self, name: str, value: str) -> None:
        if name == "event":
            self._type = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and _DIGITS.fullmatch(value):
            self.retry_ms = int(value)
