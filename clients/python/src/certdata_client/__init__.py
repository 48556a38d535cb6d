"""Client of the Certification Data API: `Client` for threads, `AsyncClient` for a loop."""

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
    NotFound,
    QuotaExceeded,
    ServiceFault,
    ServiceUnavailable,
    SyncTokenExpired,
    Unauthorized,
)
from .follow import AsyncChangeStore, Change, ChangeStore
from .query import Query, format_query
from .resource import Resource
from .retry import Retry

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
    "Forbidden",
    "InvalidRequest",
    "Kept",
    "MemoryCache",
    "NotFound",
    "Query",
    "QuotaExceeded",
    "Resource",
    "Retry",
    "ServiceFault",
    "ServiceUnavailable",
    "SyncTokenExpired",
    "Unauthorized",
    "format_cell",
    "format_query",
    "parse_cell",
    "split_csv",
]
