"""The warning before an API key ends."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import TypeAlias

from .flow import Flow, Tell
from .types import KeySummary

_WARN_AHEAD = timedelta(days=14)
_log = logging.getLogger("certdata_client")

OnKeyExpiring: TypeAlias = Callable[[KeySummary], object]


def _log_warning(key: KeySummary) -> None:
    name = "" if key["name"] is None else f" ({key['name']})"
    _log.warning(
        "The API key %s%s ends at %s. Rotate it, or ask the certification house for a new one.",
        key["id"],
        name,
        key["expires_at"],
    )


def _log_failure(error: Exception) -> None:
    _log.error("on_key_expiring failed", exc_info=error)


def _time_left(key: KeySummary | None) -> timedelta | None:
    """Return the time until the key ends. None if it has no end."""
    if key is None or key["expires_at"] is None:
        return None
    return datetime.fromisoformat(key["expires_at"].replace("Z", "+00:00")) - datetime.now(timezone.utc)


class ExpiryWarning:
    """
    Warns once for each key that ends within 14 days, by default in the log. An error of `on_key_expiring` is logged and
    fails no request.
    """

    def __init__(self, on_key_expiring: OnKeyExpiring | None) -> None:
        self._call = on_key_expiring or _log_warning
        self._warned_of: str | None = None
        self._rotated: tuple[str, timedelta] | None = None
        self._due: list[KeySummary] = []

    def check(self, key: KeySummary | None) -> None:
        """Note the key of a login for `warn`, if it ends soon."""
        left = _time_left(key)
        if key is None or left is None or key["id"] == self._warned_of:
            return
        rotated = self._rotated
        ahead = rotated[1] if rotated and rotated[0] == key["id"] else _WARN_AHEAD
        if left <= ahead:
            self._warned_of = key["id"]
            self._due.append(key)

    def begin(self, key: KeySummary | None) -> None:
        """
        Note the key of the first login after a rotation. It warns only when half of its remaining life is over:
        otherwise a short-lived key would be rotated as soon as it is used.
        """
        left = _time_left(key)
        if key is not None and left is not None:
            self._rotated = key["id"], min(_WARN_AHEAD, left / 2)

    def warn(self) -> Flow[None]:
        """Warn about a noted key. Run it after the login: the callback may rotate the key, which waits for logins."""
        try:
            key = self._due.pop()
        except IndexError:
            return
        yield Tell(lambda: self._call(key), _log_failure)
