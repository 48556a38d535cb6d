"""A cache of answers by ETag."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple, Protocol


class Kept(NamedTuple):
    """The body of an answer, and its ETag."""

    etag: str
    body: bytes


class AnswerCache(Protocol):
    """Stores answers between requests. It belongs to one customer: never share it between API keys."""

    def get(self, target: str) -> Kept | None:
        """Return the stored answer of a path with its query."""

    def set(self, target: str, kept: Kept) -> None:
        """Store an answer, replacing an older one."""


class MemoryCache:
    """Keeps the most recently used answers, at most `size`. Threads may share it."""

    def __init__(self, size: int = 200) -> None:
        self._size = size
        self._entries: OrderedDict[str, Kept] = OrderedDict()
        self._lock = Lock()

    def get(self, target: str) -> Kept | None:
        """Return the stored answer of a path with its query."""
        with self._lock:
            kept = self._entries.get(target)
            if kept:
                self._entries.move_to_end(target)
            return kept

    def set(self, target: str, kept: Kept) -> None:
        """Store an answer, replacing an older one."""
        with self._lock:
            self._entries[target] = kept
            self._entries.move_to_end(target)
            if len(self._entries) > self._size:
                self._entries.popitem(last=False)
