"""The exceptions of the clients."""

from __future__ import annotations

import json
import re
import time
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import httpx

_HTTP_DATE = re.compile(r"[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT")


def _get_place(fault: dict[str, Any]) -> str:
    return fault.get("parameter") or fault.get("pointer") or ""


def _to_message(problem: dict[str, Any], status: int) -> str:
    """
    Begin with the first suggestion, which the service usually puts into the detail. List the faults if there are
    several.
    """
    faults, detail = problem.get("errors") or [], problem["detail"]
    corrected = next((fault for fault in faults if fault.get("did_you_mean") is not None), None)
    if corrected and not detail.startswith("Did you mean "):
        detail = f"Did you mean {corrected['did_you_mean']} for {_get_place(corrected)}? {detail}"
    lines = [f"- {_get_place(fault)}: {fault.get('detail')}" for fault in faults]
    return "\n".join([f"{detail} ({problem['code']}, {status})", *(lines if len(lines) > 1 else [])])


class CertdataError(Exception):
    """Every error of this client."""


NetworkReason = Literal["unresolved", "refused", "certificate", "timeout", "incomplete", "unreachable"]
"""
Why no complete answer arrived. `unresolved`: the host name has no address. `refused`: nothing listens there.
`certificate`: its certificate is not trusted. `timeout`: the time limit was reached. `incomplete`: the connection
broke. `unreachable`: any other reason.
"""


class ConnectionFault(CertdataError):
    """No complete answer arrived. `__cause__` is the error of httpx."""

    def __init__(self, message: str, reason: NetworkReason = "incomplete") -> None:
        super().__init__(message)
        self.reason: NetworkReason = reason
        """A code for programs."""


class ApiError(CertdataError):
    """A refusal of the service: the problem document (RFC 9457) as an exception."""

    def __init__(self, problem: dict[str, Any], status: int, headers: httpx.Headers) -> None:
        self.problem = problem
        self.status = status
        self.headers = headers
        self.code: str = problem["code"]
        """`unknown` if the answer was no problem document, for example a page of a proxy."""
        self.detail: str = problem["detail"]
        super().__init__(_to_message(problem, status))

    @property
    def faults(self) -> list[dict[str, Any]]:
        """Every fault of the request, with its nearest valid name if there is one."""
        faults: list[dict[str, Any]] = self.problem.get("errors") or []
        return faults

    @property
    def request_id(self) -> str | None:
        """For questions to the operator."""
        found: str | None = self.problem.get("request_id") or self.headers.get("request-id")
        return found

    @property
    def retry_after(self) -> float | None:
        """Seconds from now until Retry-After."""
        return parse_retry_after(self.headers.get("retry-after"), time.time())


class InvalidRequest(ApiError):
    """400 and the like: correct the request. `faults` names every fault."""


class Unauthorized(ApiError):
    """401: the API key or the token is refused."""


class Forbidden(ApiError):
    """403: the plan or the scopes do not allow it."""


class NotFound(ApiError):
    """404: no record of this customer has this id."""


class SyncTokenExpired(ApiError):
    """410: read the whole state again."""


class QuotaExceeded(ApiError):
    """429: wait for `retry_after`."""


class ServiceUnavailable(ApiError):
    """502, 503, 504: the service cannot answer for now."""


class ServiceFault(ApiError):
    """Any other 5xx."""


_BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    410: SyncTokenExpired,
    429: QuotaExceeded,
    502: ServiceUnavailable,
    503: ServiceUnavailable,
    504: ServiceUnavailable,
}


def _class_of(status: int) -> type[ApiError]:
    if status >= 500:
        return _BY_STATUS.get(status, ServiceFault)
    return _BY_STATUS.get(status, InvalidRequest if status >= 400 else ApiError)


def parse_retry_after(asked: str | None, now: float) -> float | None:
    """Return the seconds until Retry-After. None without the header, or if it is neither seconds nor a date."""
    if asked is None:
        return None
    if re.fullmatch(r"[0-9]+", asked):
        return float(asked)
    if not _HTTP_DATE.fullmatch(asked):
        return None
    try:
        return max(0.0, parsedate_to_datetime(asked).timestamp() - now)
    except ValueError:
        return None


def read_problem(status: int, headers: httpx.Headers, body: bytes) -> ApiError:
    """Return the exception that an answer is. Its status has priority: a proxy may have changed it."""
    text = body.decode("utf-8", "replace")
    try:
        problem = json.loads(text)
    except ValueError:
        problem = None
    is_problem = (
        isinstance(problem, dict) and isinstance(problem.get("code"), str) and isinstance(problem.get("detail"), str)
    )
    # The token endpoint refuses with 4xx as OAuth does (RFC 6749, section 5.2).
    if not is_problem and status < 500 and isinstance(problem, dict) and isinstance(problem.get("error"), str):
        code = problem["error"]
        detail = problem.get("error_description", code)
        problem = {"type": problem.get("error_uri", "about:blank"), "title": code, "code": code, "detail": detail}
    elif not is_problem:
        shown = text.strip()[:200] or f"The service answered {status}"
        problem = {"type": "about:blank", "title": shown, "code": "unknown", "detail": shown}
    return _class_of(status)({**problem, "status": status}, status, headers)
