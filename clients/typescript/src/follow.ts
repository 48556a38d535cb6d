import { delay } from './abort.ts'
import { readLines } from './lines.ts'
import { ProblemError } from './problem.ts'
import { formatQuery } from './query.ts'
import { failureOf, isTransient, type RetryOptions, waitBefore } from './retry.ts'
import type { Transport } from './transport.ts'
import type { Resources } from './types.ts'

export type ResourceName = keyof Resources

/** A record to put in the place of yours of that id, or to remove. */
export type Change<R extends ResourceName = ResourceName> = {
  [N in R]: { resource: N; id: string; at: string; cause?: 'day' | 'settings' | (string & {}) } & (
    | { op: 'upsert'; data: Resources[N]['record'] }
    | { op: 'delete'; data: null }
  )
}[R]

/**
 * Your copy. Each call has to be all or nothing, token included: a database transaction. A call that throws
 * ends the following; nothing of it may have been kept.
 */
export type ChangeStore<R extends ResourceName = ResourceName> = {
  /** The token of the last call that succeeded; undefined: there is no copy yet. */
  loadToken(): Promise<string | undefined>
  /** The whole state: what it does not bring is gone. Where `state` throws, throw as well and keep the copy. */
  replaceAll(state: AsyncIterable<Change<R>>, token: string): Promise<void>
  /** Changes, in this order; removing what is not there is no error. */
  apply(changes: readonly Change<R>[], token: string): Promise<void>
}

export type FollowOptions<R extends ResourceName = ResourceName> = {
  /** Absent: all that the key may read. */
  resources?: readonly R[]
  /** Seconds for which an empty answer is held, 0 to 25. */
  waitSeconds?: number
  /** Changes a page. */
  limit?: number
  signal?: AbortSignal
  /** Called each time the copy is as new as the service's answer. */
  onCaughtUp?: () => void
  /** Called before the whole state is read anew, with the refusal of the token that was too old. */
  onRestart?: (error: ProblemError) => void
}

type ChangesPage<R extends ResourceName> = {
  data: Change<R>[]
  page: { has_more: boolean; next_token: string }
}

/** What the store threw: nothing that asking again would cure. */
class StoreFailure {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/** The lines, and the error of the stream where it failed. */
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

/**
 * Keeps a copy up to date until the signal aborts. It reads the whole state first, then follows changes by long
 * polls. After 410 it begins anew. It waits and retries after errors of quota, network or service. Rejects with the
 * signal's reason, with a refusal that a retry cannot cure, or with an error of the store.
 */
export const followChanges = async <R extends ResourceName>(
  transport: Transport,
  retry: RetryOptions,
  store: ChangeStore<R>,
  options: FollowOptions<R>,
): Promise<never> => {
  const { resources, waitSeconds = 25, limit = 500, signal } = options
  const sending = signal ? { signal } : {}
  const named = resources ? { resources } : {}

  let isCaughtUp = false
  const readState = async (): Promise<string> => {
    const path = `/v1/changes${formatQuery({ after: 'snapshot', ...named })}`
    const answer = await transport.stream(path, { ...sending, accept: 'application/x-ndjson' })
    const token = answer.headers.get('sync-token')
    if (token === null) throw new TypeError('The state came without a Sync-Token: does a proxy remove it?')
    const state = watch(readLines<Change<R>>(answer))
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
    // Until the backlog is read there is nothing to wait for.
    const wait = isCaughtUp ? waitSeconds : 0
    const path = `/v1/changes${formatQuery({ after: token, ...named, limit, wait })}`
    const once = { ...retry, retries: 0 }
    const { body } = await transport.json<ChangesPage<R>>(path, {
      ...sending,
      retry: once,
      limitMs: transport.timeoutMs + wait * 1000,
    })
    const next = body.page.next_token
    if (next !== token || body.data.length > 0) {
      await store.apply(body.data, next).catch((error: unknown) => {
        throw new StoreFailure(error)
      })
    }
    isCaughtUp = !body.page.has_more
    if (isCaughtUp) options.onCaughtUp?.()
    return next
  }

  let token = await store.loadToken()
  for (let failures = 0; ; ) {
    signal?.throwIfAborted()
    try {
      token = token === undefined ? await readState() : await readChanges(token)
      failures = 0
    } catch (error) {
      if (error instanceof StoreFailure) throw error.error
      signal?.throwIfAborted()
      const failure = failureOf(error)
      if (error instanceof ProblemError && error.code === 'sync_token_expired') {
        options.onRestart?.(error)
        token = undefined
      } else if (failure && isTransient(failure)) {
        failures += 1
        await delay(waitBefore(failures, failure, retry), signal)
      } else throw error
    }
  }
}
