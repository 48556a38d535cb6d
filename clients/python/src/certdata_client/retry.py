"""When a failed request is sent again."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from .errors import ApiError, CertdataError

_TRANSIENT = frozenset({408, 429, 502, 503, 504})
_REPEATABLE = frozenset({"GET", "HEAD"})


@dataclass(frozen=True)
class Retry:
    """How often a read is repeated, and how long the waits are."""

    retries: int = 4
    """Attempts after the first."""
    first_delay: float = 0.2
    """Seconds. Limit of the first wait. Each further limit is at most twice the previous one."""
    max_delay: float = 60.0
    """Seconds. Limit of each wait. If Retry-After is longer, the refusal is raised instead."""


@dataclass(frozen=True)
class RetryEvent:
    """A request that failed and is sent again."""

    path: str
    """Path and query."""
    attempt: int
    """The number of failed attempts in a row, from 1 on."""
    wait: float
    """Seconds until the next attempt."""
    error: CertdataError | None
    """None if a stream of changes ended."""


OnRetry = Callable[[RetryEvent], object]


@dataclass(frozen=True)
class Failure:
    """An attempt that failed. Without `status`, no complete answer arrived."""

    status: int | None = None
    retry_after: float | None = None

    @property
    def is_transient(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status is None or self.status in _TRANSIENT


def failure_of(error: CertdataError) -> Failure:
    """Convert an error to a failed attempt."""
    return Failure(error.status, error.retry_after) if isinstance(error, ApiError) else Failure()


def require_transient(error: CertdataError) -> Failure:
    """Return the failure if waiting may cure it. Raise any other error."""
    failure = failure_of(error)
    if not failure.is_transient:
        raise error
    return failure


def wait_before(n: int, failure: Failure, retry: Retry, part: float | None = None) -> float:
    """
    Return the seconds to wait after `n` failed attempts. With Retry-After it is that time plus jitter. Otherwise it is
    a random part of a bound that doubles, so that many clients do not return together.
    """
    part = random.random() if part is None else part
    if failure.retry_after is not None:
        return failure.retry_after + part * retry.first_delay
    bound: float = retry.first_delay * 2 ** min(n - 1, 30)
    return part * min(retry.max_delay, bound)


def decide_retry(method: str, n: int, failure: Failure, retry: Retry, part: float | None = None) -> float | None:
    """Return the seconds to wait after `n` failed attempts. None to give up. Only reads are repeated."""
    if method not in _REPEATABLE or n > retry.retries or not failure.is_transient:
        return None
    if (failure.retry_after or 0) > retry.max_delay:
        return None
    return wait_before(n, failure, retry, part)
