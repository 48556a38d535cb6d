"""The client for programs with a loop: asyncio or Trio."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx
from typing_extensions import Unpack

from . import types
from .addresses import parse_origin
from .assertions import PrivateKey
from .async_driver import AsyncDriver
from .async_resource import AsyncResource
from .async_walks import stream_changes, walk_changes, walk_items, walk_lines
from .cache import AnswerCache
from .core import Answer
from .follow import AsyncChangeStore, Following, FollowOptions, follow_changes
from .key_expiry import OnKeyExpiring
from .options import Options, connection_faults, signer_of
from .query import Query, encode_segment
from .resources import RESOURCES, AsyncResources
from .retry import OnRetry, Retry
from .webhooks import WebhookMessage


class AsyncClient(AsyncResources, AsyncDriver):
    """
    A client of one customer. It sends nothing before it is used, and keeps its connections open until `close`. Tasks
    of one loop may share it.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        token: str | None = None,
        client_id: str | None = None,
        private_key: PrivateKey | None = None,
        kid: str | None = None,
        audience: str | None = None,
        cache: AnswerCache | bool = True,
        retry: Retry | None = None,
        timeout: float = 30.0,
        on_key_expiring: OnKeyExpiring | None = None,
        on_retry: OnRetry | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """
        `url` is the origin of the service. Pass one way to log in: an API key, a ready token such as the demo token, or
        the id and the private key of a client that signs. `kid` is the name of the key. It is needed if the operator
        has registered several keys of this kind. `audience` is the service's configured origin, if it differs from the
        origin of `url`. `timeout` is in seconds, for each step of an attempt. `on_key_expiring` is called once, at the
        first login within 14 days of the key's end; by default the client logs a warning. The function may rotate the
        key. The client awaits a coroutine. Its errors are logged and fail no request. `on_retry` is called before each
        wait for another attempt, for logs and metrics; its errors end the request. `transport` replaces httpx's
        default, for example for a proxy.
        """
        origin = parse_origin(url)
        signer = signer_of(client_id, private_key, audience or origin, kid)
        options = Options(api_key, token, signer, cache, retry or Retry(), timeout, on_key_expiring, on_retry)
        super().__init__(origin, options.core(), transport)
        for name in RESOURCES:
            setattr(self, name, AsyncResource(self, name))

    async def request(self, path: str, query: Query | None = None, *, fresh: bool = False) -> Answer[Any]:
        """Read any path, with the headers of its answer. With `fresh` the answer shows everything committed before."""
        return await self._run(self._core.read(path, query, fresh))

    async def custom(self, name: str, query: Query | None = None, *, fresh: bool = False) -> Any:
        """Read a custom endpoint. Its format is agreed with the certification house."""
        return (await self.request(f"/v1/custom/{encode_segment(name)}", query, fresh=fresh)).body

    async def me(self) -> types.MeData:
        """Return the customer, the plan, the scopes and the limits."""
        return cast(types.MeData, (await self.request("/v1/me")).body["data"])

    async def list_keys(self) -> list[types.AccountKey]:
        """Return the API keys of your company, the newest first, without secrets. Needs the scope `account:read`."""
        return cast("list[types.AccountKey]", (await self.request("/v1/me/keys")).body["data"])

    async def get_usage(self) -> types.Usage:
        """Return the requests of 31 days by day and endpoint, and how exact they are. Needs `account:read`."""
        return cast(types.Usage, (await self.request("/v1/me/usage")).body)

    async def list_webhooks(self) -> list[types.Webhook]:
        """Return your webhooks with their state, the oldest first. Needs the scope `account:read`."""
        return cast("list[types.Webhook]", (await self.request("/v1/me/webhooks")).body["data"])

    async def list_webhook_deliveries(self, id: str) -> list[types.WebhookDelivery]:
        """
        Return the last 20 attempts of a webhook, the newest first. Needs the scope `account:read`. Raise NotFound if
        you have no such webhook.
        """
        path = f"/v1/me/webhooks/{encode_segment(id)}/deliveries"
        return cast("list[types.WebhookDelivery]", (await self.request(path)).body["data"])

    async def rotate_key(self, store: Callable[[str], Awaitable[object] | object]) -> types.KeySummary:
        """
        Exchange the API key for a new one: call `store` with it, await it, and log in with it. The previous key ends a
        week later. Until that login it works as before, and a repeated call replaces the new key. Let one process of
        yours rotate. Needs the scope `keys:rotate`. Raise QuotaExceeded within an hour of the last rotation, and
        ValueError for a client without an API key.
        """
        return await self._run(self._core.rotate_key(store))

    @asynccontextmanager
    async def download(
        self, path: str, query: Query | None = None, *, accept: str = "*/*"
    ) -> AsyncIterator[httpx.Response]:
        """Open the answer as a stream, for `format=csv` and other files. Reading raises if it breaks off."""
        reply = await self._run(self._core.open(path, query, accept))
        response = cast(httpx.Response, reply.response)
        with connection_faults():
            try:
                yield response
            finally:
                await response.aclose()

    async def follow(self, store: AsyncChangeStore, **options: Unpack[FollowOptions]) -> None:
        """Keep a copy up to date until the task is cancelled. See `FollowOptions`."""
        await self._run(follow_changes(self._core, store, Following(**options)))

    async def catch_up(self, store: AsyncChangeStore, **options: Unpack[FollowOptions]) -> None:
        """Update a copy once, for example after a webhook."""
        await self._run(follow_changes(self._core, store, Following(until_caught_up=True, **options)))

    def changes(self, query: types.ChangesQuery | Query | None = None) -> AsyncIterator[types.Changes]:
        """
        Yield every page of the feed until there are no more changes. Continue with `next_token` of the last page. The
        whole state is a stream, which `follow` and `catch_up` read.
        """
        return walk_changes(self, query)

    def stream_changes(self, query: types.ChangesQuery | Query | None = None) -> AsyncGenerator[types.Changes, None]:
        """
        Yield pages of the feed as changes occur, over a connection that stays open (server-sent events). Reconnect
        after each end of the connection. Close the generator, for example by `contextlib.aclosing`, or cancel the
        task. Raise refusals that waiting cannot cure, such as SyncTokenExpired.
        """
        return stream_changes(self, query)

    def history_of_all(self, query: types.HistoryQuery | None = None) -> AsyncIterator[types.HistoryEntry]:
        """
        Yield every change of all records, the newest first. `since` is only a filter. To keep a copy, use `follow`.
        """
        return walk_items(self, "/v1/history", query)

    def audit(self, query: types.AuditQuery | None = None) -> AsyncIterator[types.AuditEntry]:
        """Yield the audit trail, the newest entry first: who read which data. Needs the scope `audit:read`."""
        return walk_items(self, "/v1/audit", query)

    def export_audit(self, query: types.AuditQuery | None = None) -> AsyncIterator[types.AuditEntry]:
        """Yield all entries from one snapshot, as a stream. Costs ten units of the quota `minute`."""
        return walk_lines(self, "/v1/audit", query)

    async def verify_webhook(self, headers: Mapping[str, str], body: bytes | str) -> WebhookMessage:
        """
        Return the message of a webhook, verified with the keys of the service, which the client caches. Raise
        WebhookError, which names the fault. See `verify_webhook` of the module.
        """
        return await self._run(self._core.webhooks.verify(headers, body))
