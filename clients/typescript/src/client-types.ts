import type { AnswerCache } from './etag-cache.ts'
import type { ChangeStore, ChangesPage, FollowOptions, ResourceName } from './follow.ts'
import type { ExpiryOptions } from './key-expiry.ts'
import type { Credentials } from './login.ts'
import type { Query } from './query.ts'
import type { RetryEvent, RetryOptions } from './retry.ts'
import type { StoreKey } from './rotate-key.ts'
import type { Answer, RequestOptions } from './transport.ts'
import type {
  AccountKey,
  AuditEntry,
  AuditQuery,
  ChangesQuery,
  HistoryEntry,
  HistoryQuery,
  KeySummary,
  Me,
  Resources,
  Usage,
  Webhook,
  WebhookDelivery,
} from './types.ts'
import type { WebhookMessage, WebhookRequest } from './webhook.ts'

export type ClientOptions = {
  /** The address of the service, without a path: `https://api.example`. */
  url: string
  /** Stores answers for their ETag. `false` turns this off. Defaults to 200 answers in memory. */
  cache?: AnswerCache | false
  retry?: Partial<RetryOptions>
  /** Called before each wait for another attempt, for logs and metrics. If it throws, the request rejects with that. */
  onRetry?: (event: RetryEvent) => void
  /** Limit of one attempt, including its body. Defaults to 30 s. */
  timeoutMs?: number
  /** Replaces the global `fetch`, for example for a proxy or a test. */
  fetch?: typeof fetch
} & ExpiryOptions &
  Credentials

/** The records with the fields in `fields`, or with all fields. */
type Selected<Record, Q> = Q extends { fields: readonly (infer F)[] }
  ? Pick<Record, Extract<keyof Record, F | 'id'>>
  : Q extends { fields: infer F extends string }
    ? Pick<Record, Extract<keyof Record, Split<F> | 'id'>>
    : Record
type Split<S extends string> = S extends `${infer Head},${infer Tail}` ? Head | Split<Tail> : S

export type PageOf<R extends ResourceName, Q> = Omit<Resources[R]['page'], 'data'> & {
  data: Selected<Resources[R]['record'], Q>[]
}
export type AnswerOf<R extends ResourceName, Q> = Omit<Resources[R]['answer'], 'data'> & {
  data: Selected<Resources[R]['record'], Q>
}

export type Client = {
  /** Returns one page. */
  list<R extends ResourceName, const Q extends Resources[R]['query']>(
    resource: R,
    query?: Q,
    options?: RequestOptions,
  ): Promise<PageOf<R, Q>>
  /** Yields every page, sorted by id unless `query` sorts. */
  pages<R extends ResourceName, const Q extends Resources[R]['query']>(
    resource: R,
    query?: Q,
    options?: RequestOptions,
  ): AsyncGenerator<PageOf<R, Q>, void, undefined>
  /** Yields every record, over all pages, sorted by id unless `query` sorts. Reads the next page only when it is needed. */
  all<R extends ResourceName, const Q extends Resources[R]['query']>(
    resource: R,
    query?: Q,
    options?: RequestOptions,
  ): AsyncGenerator<Selected<Resources[R]['record'], Q>, void, undefined>
  /** Returns one record. Rejects with `not_found` if it does not exist. */
  get<R extends ResourceName, const Q extends Resources[R]['itemQuery']>(
    resource: R,
    id: string,
    query?: Q,
    options?: RequestOptions,
  ): Promise<AnswerOf<R, Q>>
  /** Yields every change of one record, the newest first. Rejects with `not_found` if the record never existed. */
  history(
    resource: ResourceName,
    id: string,
    query?: Pick<HistoryQuery, 'limit' | 'cursor'>,
    options?: RequestOptions,
  ): AsyncGenerator<HistoryEntry, void, undefined>
  /** Yields the changes of all records. `since` is only a filter. To keep a copy, use `follow`. */
  historyOfAll(query?: HistoryQuery, options?: RequestOptions): AsyncGenerator<HistoryEntry, void, undefined>
  /**
   * Yields every record of the list, from one snapshot. If it rejects because the stream breaks off, discard
   * the records received so far. Costs ten units of the quota `minute`.
   */
  export<R extends ResourceName, const Q extends Resources[R]['query']>(
    resource: R,
    query?: Q,
    options?: RequestOptions,
  ): AsyncGenerator<Selected<Resources[R]['record'], Q>, void, undefined>
  /**
   * Returns the answer to a GET as a stream, for `format=csv` and other files, or by `accept`. Reading its
   * body rejects if the stream breaks off.
   */
  download(path: string, query?: Query, options?: RequestOptions & { accept?: string }): Promise<Response>
  /** Reads a custom endpoint, in the format agreed with the certification house. */
  custom<T>(name: string, query?: Query, options?: RequestOptions): Promise<T>
  me(options?: RequestOptions): Promise<Me['data']>
  /** Returns the API keys of your company, the newest first, without secrets. Needs the scope `account:read`. */
  listKeys(options?: RequestOptions): Promise<AccountKey[]>
  /** Returns the requests of 31 days by day and endpoint, and how exact they are. Needs the scope `account:read`. */
  getUsage(options?: RequestOptions): Promise<Usage>
  /** Returns your webhooks with their state, the oldest first. Needs the scope `account:read`. */
  listWebhooks(options?: RequestOptions): Promise<Webhook[]>
  /**
   * Returns the last 20 attempts of a webhook, the newest first. Needs the scope `account:read`. Rejects with `not_found`
   * if you have no such webhook.
   */
  listWebhookDeliveries(id: string, options?: RequestOptions): Promise<WebhookDelivery[]>
  /**
   * Exchanges the API key for a new one: passes it to `store`, waits for this, and logs in with it. The previous key ends
   * a week later. Until that login it works as before, and a repeated call replaces the new key. Let one process of yours
   * rotate. Needs the scope `keys:rotate`. Rejects with `quota_exceeded` within an hour of the last rotation, and with
   * an Error for a client without an API key.
   */
  rotateKey(store: StoreKey): Promise<KeySummary>
  /** Sends any other GET. The result includes the headers of its answer. */
  request<T>(path: string, query?: Query, options?: RequestOptions): Promise<Answer<T>>
  /** Keeps a copy up to date, without end: see `followChanges`. */
  follow<R extends ResourceName>(store: ChangeStore<R>, options?: FollowOptions<R>): Promise<never>
  /** Updates a copy once, for example after a webhook. See `followChanges`. */
  catchUp<R extends ResourceName>(store: ChangeStore<R>, options?: FollowOptions<R>): Promise<void>
  /**
   * Yields every page of the feed until there are no more changes. Continue with `page.next_token` of the
   * last page.
   */
  changes(
    query?: ChangesQuery & Query,
    options?: RequestOptions,
  ): AsyncGenerator<ChangesPage, void, undefined>
  /**
   * Yields pages of the feed as changes occur, over a connection that stays open (server-sent events),
   * without end. Reconnects after each end of the connection. Leave the loop or abort the signal to close the
   * connection. Rejects with the signal's reason, and with refusals that waiting cannot cure, such as
   * `sync_token_expired`.
   */
  streamChanges(
    query?: Omit<ChangesQuery, 'wait'> & Query,
    options?: Pick<RequestOptions, 'signal'>,
  ): AsyncGenerator<ChangesPage, void, undefined>
  /** Yields every entry of the audit trail, the newest first: who read which data. Needs the scope `audit:read`. */
  audit(query?: AuditQuery, options?: RequestOptions): AsyncGenerator<AuditEntry, void, undefined>
  /** Yields all entries from one snapshot, as a stream. Costs ten units of the quota `minute`. */
  exportAudit(query?: AuditQuery, options?: RequestOptions): AsyncGenerator<AuditEntry, void, undefined>
  /** Verifies a webhook message with the service's keys, which the client reads and caches: see `verifyWebhook`. */
  verifyWebhook(request: WebhookRequest): Promise<WebhookMessage>
}
