import { type AnswerCache, createAnswerCache } from './etag-cache.ts'
import { type ChangeStore, type FollowOptions, followChanges, type ResourceName } from './follow.ts'
import { readLines } from './lines.ts'
import { readProblem } from './problem.ts'
import { formatQuery, type Query } from './query.ts'
import { defaultRetry, type RetryOptions } from './retry.ts'
import { createFixedToken, createTokenSource, type Token } from './token.ts'
import { type Answer, createTransport, type RequestOptions } from './transport.ts'
import type { HistoryEntry, HistoryPage, Me, Resources, TokenAnswer } from './types.ts'

export type ClientOptions = {
  /** Where the service is, without a path: `https://api.example`. */
  url: string
  /** Where answers are kept for their ETag; false: nowhere. Default: memory, 200 answers. */
  cache?: AnswerCache | false
  retry?: Partial<RetryOptions>
  /** For one attempt, body included. Default 30 s. */
  timeoutMs?: number
  /** Replaces the global `fetch`, for example for a proxy or a test. */
  fetch?: typeof fetch
} & (
  | { /** Exchanged for tokens as needed. A secret: not for pages. */ apiKey: string }
  | { /** A ready token, the demo token for instance; nobody renews it. */ token: string }
)

/** The records with the fields that `fields` asks for; all of them where it is absent. */
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
  /** One page. */
  list<R extends ResourceName, const Q extends Resources[R]['query']>(
    resource: R,
    query?: Q,
    options?: RequestOptions,
  ): Promise<PageOf<R, Q>>
  /** Page after page, until there is no more. */
  pages<R extends ResourceName, const Q extends Resources[R]['query']>(
    resource: R,
    query?: Q,
    options?: RequestOptions,
  ): AsyncGenerator<PageOf<R, Q>, void, undefined>
  /** Record after record, over all pages; asks for the next page only when it is needed. */
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
  /** Change after change of one record, the newest first, over all pages. Rejects with `not_found` if it never existed. */
  history(
    resource: ResourceName,
    id: string,
    options?: RequestOptions,
  ): AsyncGenerator<HistoryEntry, void, undefined>
  /** The same of all records. `query`: `resource` and `since`. A filter, and not a way to keep a copy: see `follow`. */
  historyOfAll(
    query?: { resource?: string | readonly ResourceName[]; since?: string; limit?: number },
    options?: RequestOptions,
  ): AsyncGenerator<HistoryEntry, void, undefined>
  /**
   * Record after record of the whole list, from one snapshot. Rejects where the stream breaks off: what came until
   * then is not the whole. Costs ten units of the quota `minute`.
   */
  export<R extends ResourceName, const Q extends Resources[R]['query']>(
    resource: R,
    query?: Q,
    options?: RequestOptions,
  ): AsyncGenerator<Selected<Resources[R]['record'], Q>, void, undefined>
  /** The answer to a GET as a stream, for `format=csv` and other files. Its body rejects where it breaks off. */
  download(path: string, query?: Query, options?: RequestOptions): Promise<Response>
  /** A custom endpoint; its shape is what was agreed on. */
  custom<T>(name: string, query?: Query, options?: RequestOptions): Promise<T>
  me(options?: RequestOptions): Promise<Me['data']>
  /** Any other GET, with the headers of its answer. */
  request<T>(path: string, query?: Query, options?: RequestOptions): Promise<Answer<T>>
  /** Keeps a copy up to date, for ever: see `followChanges`. */
  follow<R extends ResourceName>(store: ChangeStore<R>, options?: FollowOptions<R>): Promise<never>
}

const logInWith = (origin: string, apiKey: string, { fetch, timeoutMs }: Required<Doing>) => {
  return async (): Promise<Token> => {
    const askedAtMs = Date.now()
    const answer = await fetch(`${origin}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ api_key: apiKey }),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'manual',
      credentials: 'omit',
    })
    if (!answer.ok) throw await readProblem(answer)
    const { access_token: value, expires_in: seconds } = (await answer.json()) as TokenAnswer
    // From when it was asked for: by then it was not yet issued.
    return { value, expiresAtMs: askedAtMs + seconds * 1000 }
  }
}
type Doing = { fetch?: typeof fetch; timeoutMs?: number }

/** Node.js, not browsers. */
const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => void }

/**
 * Node.js gives a connection back one turn of the event loop after its answer was read. A request that is sent before
 * that opens another connection, which costs two more round trips.
 */
const reuseConnections = (send: typeof fetch): typeof fetch =>
  setImmediate
    ? async (...given) => {
        await new Promise<void>((resolve) => setImmediate(resolve))
        return send(...given)
      }
    : send

/** A client of one customer. Nothing is asked before it is used; it holds no connection and needs no closing. */
export const createClient = (options: ClientOptions): Client => {
  const origin = new URL(options.url).origin
  // Browsers want their own fetch called on the window.
  const doing = {
    fetch: reuseConnections(options.fetch ?? globalThis.fetch.bind(globalThis)),
    timeoutMs: options.timeoutMs ?? 30_000,
  }
  const retry = { ...defaultRetry, ...options.retry }
  const tokens =
    'token' in options
      ? createFixedToken(options.token)
      : createTokenSource(logInWith(origin, options.apiKey, doing), Date.now)
  const cache = options.cache === false ? undefined : (options.cache ?? createAnswerCache())
  const transport = createTransport({ origin, tokens, cache, retry, ...doing })
  const request = <T>(path: string, query?: Query, sending: RequestOptions = {}) =>
    transport.json<T>(`${path}${formatQuery(query)}`, sending)
  const read = async <T>(path: string, query: Query | undefined, sending: RequestOptions | undefined) =>
    (await request<T>(path, query, sending)).body

  async function* readHistory(path: string, query: Query, sending: RequestOptions | undefined) {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const asked: Query = cursor === undefined ? query : { ...query, cursor }
      const { data, page }: HistoryPage = await read(path, asked, sending)
      yield* data
      cursor = page.next_cursor
    }
  }

  const client: Client = {
    request,
    list: (resource, query, sending) => read(`/v1/${resource}`, query as Query, sending),
    async *pages(resource, query, sending) {
      let cursor: string | null | undefined
      do {
        const asked = cursor === undefined ? query : { ...query, cursor }
        const page = await read<PageOf<typeof resource, typeof query>>(
          `/v1/${resource}`,
          asked as Query,
          sending,
        )
        yield page as never
        cursor = page.page.next_cursor
      } while (cursor !== null)
    },
    async *all(resource, query, sending) {
      for await (const { data } of client.pages(resource, query, sending)) yield* data as never[]
    },
    get: (resource, id, query, sending) =>
      read(`/v1/${resource}/${encodeURIComponent(id)}`, query as Query, sending),
    history: (resource, id, sending) =>
      readHistory(`/v1/${resource}/${encodeURIComponent(id)}/history`, {}, sending),
    historyOfAll: (query = {}, sending) => readHistory('/v1/history', query as Query, sending),
    async *export(resource, query, sending) {
      const path = `/v1/${resource}${formatQuery(query as Query)}`
      yield* readLines<never>(
        await transport.openStream(path, { ...sending, accept: 'application/x-ndjson' }),
      )
    },
    download: (path, query, sending = {}) =>
      transport.openStream(`${path}${formatQuery(query)}`, { ...sending, accept: '*/*' }),
    custom: (name, query, sending) => read(`/v1/custom/${encodeURIComponent(name)}`, query, sending),
    me: async (sending) => (await read<Me>('/v1/me', undefined, sending)).data,
    follow: (store, following = {}) => followChanges(transport, retry, store, following),
  }
  return client
}
