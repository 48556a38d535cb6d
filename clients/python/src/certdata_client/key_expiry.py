"""The warning before an API key ends."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import TypeAlias

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


class ExpiryWarning:
    """
    Warns once for each key that ends within 14 days, by default in the log. An error of `on_key_expiring` is logged and
    fails no request.
    """

    def __init__(self, on_key_expiring: OnKeyExpiring | None) -> None:
        self._warn = on_key_expiring or _log_warning
        self._warned_of: str | None = None

    def check(self, key: KeySummary | None) -> None:
        """Warn about the key of a login, if it ends soon."""
        if key is None or key["expires_at"] is None or key["id"] == self._warned_of:
            return
        end = datetime.fromisoformat(key["expires_at"].replace("Z", "+00:00"))
        if end - datetime.now(timezone.utc) > _WARN_AHEAD:
            return
        self._warned_of = key["id"]
        try:
            self._warn(key)
        except Exception:
            _log.exception("on_key_expiring failed")
