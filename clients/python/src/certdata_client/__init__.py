"""Client of the Certification Data API: `Client` for threads, `AsyncClient` for a loop."""

from .assertions import PrivateKey, create_assertion
from .async_client import AsyncClient
from .async_resource import AsyncResource
from .cache import AnswerCache, Kept, MemoryCache
from .client import Client
from .core import Answer
from .csv import CsvKind, format_cell, parse_cell, split_csv
from .errors import (
    ApiError,
    CertdataError,
    ConnectionFault,
    Forbidden,
    InvalidRequest,
    NetworkReason,
    NotFound,
    QuotaExceeded,
    ServiceFault,
    ServiceUnavailable,
    SyncTokenExpired,
    Unauthorized,
)
from .follow import AsyncChangeStore, ChangeStore, FollowOptions
from .query import Query, format_query
from .resource import Resource
from .retry import OnRetry, Retry, RetryEvent
from .types import Change
from .webhooks import WebhookError, WebhookMessage, verify_webhook

__all__ = [
    "Answer",
    "AnswerCache",
    "ApiError",
    "AsyncChangeStore",
    "AsyncClient",
    "AsyncResource",
    "CertdataError",
    "Change",
    "ChangeStore",
    "Client",
    "ConnectionFault",
    "CsvKind",
    "FollowOptions",
    "Forbidden",
    "InvalidRequest",
    "Kept",
    "MemoryCache",
    "NetworkReason",
    "NotFound",
    "OnRetry",
    "PrivateKey",
    "Query",
    "QuotaExceeded",
    "Resource",
    "Retry",
    "RetryEvent",
    "ServiceFault",
    "ServiceUnavailable",
    "SyncTokenExpired",
    "Unauthorized",
    "WebhookError",
    "WebhookMessage",
    "create_assertion",
    "format_cell",
    "format_query",
    "parse_cell",
    "split_csv",
    "verify_webhook",
]
