import { readLines } from './lines.ts'
import { NetworkError } from './network-error.ts'
import { ProblemError } from './problem.ts'
import { formatQuery, type Query } from './query.ts'
import { type Retrying, requireTransient, waitBefore, waitForRetry } from './retry.ts'
import type { RequestOptions, Transport } from './transport.ts'
import type { ChangesQuery, Resources } from './types.ts'

export type ResourceName = keyof Resources

/** A record to insert or replace in your copy, or to remove. */
export type Change<R extends ResourceName = ResourceName> = {
  [N in R]: {
    resource: N
    id: string
    at: string
    /** The cause of a change without a write to the record. `filter`: it no longer meets the filter. */
    cause?: 'day' | 'settings' | 'filter' | (string & {})
  } & (
    | {
        op: 'upsert'
        /** The whole record, or the fields in `fields`. */
        data: Resources[N]['record']
        /** The fields that differ from the state of the token. `undefined` if the service cannot find out. */
        changed?: (keyof Resources[N]['record'])[]
        /** With `previous`: the earlier values of these fields. */
        previous?: Partial<Resources[N]['record']>
      }
    | { op: 'delete'; data: null }
  )
}[R]

/**
 * Your copy. Each call must be atomic and include the token: a database transaction. A call that throws ends
 * `follow` and must leave the copy unchanged.
 */
export type ChangeStore<R extends ResourceName = ResourceName> = {
  /** The token of the last call that succeeded. `undefined` if there is no copy yet. */
  loadToken(): Promise<string | undefined>
  /** Replaces the copy by the whole state. If `state` throws, throw as well and keep the copy. */
  replaceAll(state: AsyncIterable<Change<R>>, token: string): Promise<void>
  /** Applies changes in this order. A deletion of an unknown record is no error. */
  apply(changes: readonly Change<R>[], token: string): Promise<void>
}

/** Conditions on the records of one resource. The service refuses conditions of another resource. */
export type ChangesFilter = Omit<
  ChangesQuery,
  'after' | 'resources' | 'limit' | 'wait' | 'previous' | 'fields'
> &
  Query

export type FollowOptions<R extends ResourceName = ResourceName> = {
  /** Defaults to all resources that the key may read. */
  resources?: readonly R[]
  /** Only records that meet these conditions, for example `{ validity: 'valid' }`. Needs one resource. */
  filter?: ChangesFilter
  /** Only these fields of each record. Needs one resource. */
  fields?: readonly string[]
  /** Whether each change contains the earlier values of the changed fields. */
  previous?: boolean
  /** Seconds for which the service holds an empty answer, 0 to 25. */
  waitSeconds?: number
  /** Changes per page. */
  limit?: number
  signal?: AbortSignal
  /** Called each time the copy has reached the state of the service's answer. */
  onCaughtUp?: () => void
  /** Called before the whole state is read again, with the error for the expired token. */
  onRestart?: (error: ProblemError) => void
}

export type ChangesPage<R extends ResourceName = ResourceName> = {
  data: Change<R>[]
  page: { has_more: boolean; next_token: string }
}

/** An error of the store, which is not retried. */
class StoreFailure {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/** Returns the lines, and the error of the stream if it failed. */
const watch = <T>(source: AsyncIterable<T>) => {
  let failure: unknown
  async function* lines() {
    try {
      yield* source
    } catch (error) {
      failure = error
      throw error
    }
  }
  return {
    lines: lines(),
    get failure() {
      return failure
    },
  }
}

export const changesPath = (query: Query): string => `/v1/changes${formatQuery(query)}`

/** Throws for the whole state, which has no pages. */
export const requirePages = ({ after }: Query): void => {
  if (after === 'snapshot') throw new Error('The whole state is a stream: use follow or catchUp')
}

/** Reads a page of the feed. The time limit includes the time that the service may hold it. */
export const readChangesPage = async <R extends ResourceName>(
  transport: Transport,
  query: Query,
  sending: RequestOptions & { retry?: Retrying } = {},
): Promise<ChangesPage<R>> => {
  const limitMs = transport.timeoutMs + Number(query.wait ?? 0) * 1000
  return (await transport.json<ChangesPage<R>>(changesPath(query), { ...sending, limitMs })).body
}

/**
 * Keeps a copy up to date until the signal aborts, or only until it has reached the state of the service's
 * answer. Reads the whole state first, then follows changes by long polls. After 410 it starts again. It
 * waits and retries after errors of quota, network or service. Rejects with the signal's reason, with a
 * refusal that a retry cannot cure, or with an error of the store.
 */
export const followChanges = async <R extends ResourceName>(
  transport: Transport,
  retry: Retrying,
  store: ChangeStore<R>,
  options: FollowOptions<R>,
  untilCaughtUp: boolean,
): Promise<void> => {
  const { resources, filter, fields, previous, waitSeconds = 25, limit = 500, signal } = options
  const sending = signal ? { signal } : {}
  // The token contains its selection. With these parameters, the service refuses a token of another
  // selection.
  const named: Query = { resources, ...filter, fields }

  let isCaughtUp = false
  const readState = async (): Promise<string> => {
    const path = changesPath({ after: 'snapshot', ...named })
    const answer = await transport.stream(path, { ...sending, accept: 'application/x-ndjson' })
    const token = answer.headers.get('sync-token')
    if (token === null)
      throw new NetworkError('incomplete', 'The state came without a Sync-Token: does a proxy remove it?')
    const state = watch(readLines<Change<R>>(answer, signal))
    try {
      await store.replaceAll(state.lines, token)
    } catch (error) {
      throw state.failure ?? new StoreFailure(error)
    }
    if (state.failure) throw state.failure
    isCaughtUp = false
    return token
  }

  const readChanges = async (token: string): Promise<string> => {
    // Does not wait while older changes remain.
    const wait = isCaughtUp ? waitSeconds : 0
    const query = { after: token, ...named, previous, limit, wait }
    const once = { ...retry, retries: 0 }
    const { data, page } = await readChangesPage<R>(transport, query, { ...sending, retry: once })
    const next = page.next_token
    if (next !== token || data.length > 0) {
      await store.apply(data, next).catch((error: unknown) => {
        throw new StoreFailure(error)
      })
    }
    isCaughtUp = !page.has_more
    if (isCaughtUp) options.onCaughtUp?.()
    return next
  }

  let token = await store.loadToken()
  for (let failures = 0; !(untilCaughtUp && isCaughtUp); ) {
    signal?.throwIfAborted()
    try {
      token = token === undefined ? await readState() : await readChanges(token)
      failures = 0
    } catch (error) {
      if (error instanceof StoreFailure) throw error.error
      signal?.throwIfAborted()
      if (error instanceof ProblemError && error.code === 'sync_token_expired') {
        options.onRestart?.(error)
        token = undefined
      } else {
        failures += 1
        const failed = requireTransient(error, signal)
        const waitMs = waitBefore(failures, failed, retry)
        const path = changesPath({ after: token ?? 'snapshot', ...named })
        await waitForRetry({ path, attempt: failures, waitMs, error: failed.error }, retry, signal)
      }
    }
  }
}
