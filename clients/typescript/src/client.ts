import { parseOrigin } from './address.ts'
import type { Client, ClientOptions, PageOf } from './client-types.ts'
import { createAnswerCache } from './etag-cache.ts'
import { followChanges, readChangesPage, requirePages } from './follow.ts'
import { createExpiryWarning } from './key-expiry.ts'
import { readLines } from './lines.ts'
import { createLogin } from './login.ts'
import { formatQuery, type Query } from './query.ts'
import { defaultRetry } from './retry.ts'
import { streamChanges } from './stream.ts'
import { createTransport, type RequestOptions } from './transport.ts'
import type {
  AccountKeys,
  AuditEntry,
  AuditEntryPage,
  HistoryPage,
  Me,
  Usage,
  WebhookDeliveries,
  Webhooks,
} from './types.ts'
import { type Page, walkItems, walkPages } from './walk.ts'
import { createWebhookVerifier, type WebhookKey } from './webhook.ts'

/** Exists in Node.js, not in browsers. */
const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => void }

/**
 * Node.js releases a connection one turn of the event loop after its answer was read. An earlier request
 * opens another connection, which costs two more round trips.
 */
const reuseConnections = (send: typeof fetch): typeof fetch =>
  setImmediate
    ? async (...given) => {
        await new Promise<void>((resolve) => setImmediate(resolve))
        return send(...given)
      }
    : send

/** Sorts by id unless the caller sorts. A record whose sort key changes between two pages is missed or seen twice. */
const inStableOrder = (query: Query = {}): Query =>
  // A cursor belongs to the sort with which it was issued.
  query.cursor === undefined ? { ...query, sort: query.sort ?? 'id' } : query

/**
 * Creates a client of one customer. It sends no request before its first use, and needs no closing. Throws a
 * TypeError if `url` is not the origin of a service.
 */
export const createClient = (options: ClientOptions): Client => {
  const origin = parseOrigin(options.url)
  // Browsers require that fetch is called on the window.
  const doing = {
    fetch: reuseConnections(options.fetch ?? globalThis.fetch.bind(globalThis)),
    timeoutMs: options.timeoutMs ?? 30_000,
  }
  const retry = { ...defaultRetry, ...options.retry, onRetry: options.onRetry }
  const expiry = createExpiryWarning(options, Date.now)
  const { tokens, rotateKey } = createLogin(options, { origin, expiry, ...doing }, retry)
  const cache = options.cache === false ? undefined : (options.cache ?? createAnswerCache())
  const transport = createTransport({ origin, tokens, cache, retry, ...doing })
  const request = <T>(path: string, query?: Query, sending: RequestOptions = {}) =>
    transport.json<T>(`${path}${formatQuery(query)}`, sending)
  const read = async <T>(path: string, query: Query | undefined, sending: RequestOptions | undefined) =>
    (await request<T>(path, query, sending)).body

  const walk = <P extends Page>(
    path: string,
    query: object | undefined,
    sending: RequestOptions | undefined,
  ) => walkPages((asked) => read<P>(path, asked, sending), query as Query | undefined)
  async function* readExport<T>(
    path: string,
    query: object | undefined,
    sending: RequestOptions | undefined,
  ) {
    const target = `${path}${formatQuery(query as Query)}`
    const answer = await transport.openStream(target, { ...sending, accept: 'application/x-ndjson' })
    yield* readLines<T>(answer, sending?.signal)
  }
  const readWebhookKeys = async () =>
    (await read<{ keys: WebhookKey[] }>('/.well-known/webhook-keys.json', undefined, { fresh: true })).keys

  const client: Client = {
    request,
    list: (resource, query, sending) => read(`/v1/${resource}`, query as Query, sending),
    pages: (resource, query, sending) =>
      walk<PageOf<typeof resource, typeof query>>(`/v1/${resource}`, inStableOrder(query), sending) as never,
    async *all(resource, query, sending) {
      for await (const { data } of client.pages(resource, query, sending)) yield* data as never[]
    },
    get: (resource, id, query, sending) =>
      read(`/v1/${resource}/${encodeURIComponent(id)}`, query as Query, sending),
    history: (resource, id, query, sending) =>
      walkItems(walk<HistoryPage>(`/v1/${resource}/${encodeURIComponent(id)}/history`, query, sending)),
    historyOfAll: (query, sending) => walkItems(walk<HistoryPage>('/v1/history', query, sending)),
    export: (resource, query, sending) => readExport<never>(`/v1/${resource}`, query, sending),
    audit: (query, sending) => walkItems(walk<AuditEntryPage>('/v1/audit', query, sending)),
    exportAudit: (query, sending) => readExport<AuditEntry>('/v1/audit', query, sending),
    download: (path, query, sending = {}) =>
      transport.openStream(`${path}${formatQuery(query)}`, { accept: '*/*', ...sending }),
    custom: (name, query, sending) => read(`/v1/custom/${encodeURIComponent(name)}`, query, sending),
    me: async (sending) => (await read<Me>('/v1/me', undefined, sending)).data,
    listKeys: async (sending) => (await read<AccountKeys>('/v1/me/keys', undefined, sending)).data,
    getUsage: (sending) => read<Usage>('/v1/me/usage', undefined, sending),
    listWebhooks: async (sending) => (await read<Webhooks>('/v1/me/webhooks', undefined, sending)).data,
    listWebhookDeliveries: async (id, sending) => {
      const path = `/v1/me/webhooks/${encodeURIComponent(id)}/deliveries`
      return (await read<WebhookDeliveries>(path, undefined, sending)).data
    },
    rotateKey,
    async *changes(query = {}, sending) {
      requirePages(query)
      for (let asked: Query = query, isOver = false; !isOver; ) {
        const page = await readChangesPage(transport, asked, sending)
        yield page
        asked = { ...query, after: page.page.next_token }
        isOver = !page.page.has_more
      }
    },
    streamChanges: (query = {}, { signal } = {}) => streamChanges(transport, retry, query, signal),
    follow: (store, following = {}) =>
      followChanges(transport, retry, store, following, false) as Promise<never>,
    catchUp: (store, following = {}) => followChanges(transport, retry, store, following, true),
    verifyWebhook: createWebhookVerifier(readWebhookKeys),
  }
  return client
}
