import { orAborted } from './abort.ts'
import type { AnswerCache } from './etag-cache.ts'
import { withNetworkErrors } from './network-error.ts'
import { type ProblemError, readProblem } from './problem.ts'
import { type Retrying, withRetry } from './retry.ts'
import type { TokenSource } from './token.ts'

export type RequestOptions = {
  /** Aborts the request, its waits and its retries. The promise rejects with the signal's reason. */
  signal?: AbortSignal
  /** Shows everything committed before the request was sent (`Cache-Control: no-cache`). */
  fresh?: boolean
}

export type Answer<T> = {
  body: T
  headers: Headers
  /** The service confirmed that the cached body is still current. */
  notModified: boolean
}

export type TransportOptions = {
  origin: string
  tokens: TokenSource
  cache: AnswerCache | undefined
  retry: Retrying
  timeoutMs: number
  fetch: typeof fetch
}

type Sending = RequestOptions & {
  accept?: string
  etag?: string | undefined
  /** Milliseconds until an attempt counts as lost. `null` means no limit. */
  limitMs?: number | null
}

const refusedTokens: ReadonlySet<string> = new Set(['token_expired', 'token_revoked', 'invalid_token'])

// Without Cache-Control, fetch adds `no-cache` to a request with If-None-Match. The service would then query
// its database each time. Answers are at most a second old anyway.
const usual = 'max-age=1'

const listHeaders = (token: string, { accept = 'application/json', etag, fresh }: Sending) => ({
  authorization: `Bearer ${token}`,
  accept,
  'cache-control': fresh ? 'no-cache' : usual,
  ...(etag === undefined ? {} : { 'if-none-match': etag }),
})

const getSignal = (limitMs: number | null, given: AbortSignal | undefined): AbortSignal | null => {
  if (limitMs === null) return given ?? null
  const limit = AbortSignal.timeout(limitMs)
  return given ? AbortSignal.any([limit, given]) : limit
}

/** A token was refused, and another one is available. */
class TokenDropped {
  readonly problem: ProblemError
  constructor(problem: ProblemError) {
    this.problem = problem
  }
}

/** Sends GET requests with token, timeout and retries. */
export const createTransport = (options: TransportOptions) => {
  const { origin, tokens, cache, retry, timeoutMs } = options

  const sendOnce = async (path: string, sending: Sending): Promise<Response> => {
    const { signal, limitMs = timeoutMs } = sending
    const token = await orAborted(tokens.get(), signal)
    const answer = await withNetworkErrors(origin, signal, () =>
      options.fetch(`${origin}${path}`, {
        headers: listHeaders(token, sending),
        signal: getSignal(limitMs, signal),
        // A redirect would carry the token to another server.
        redirect: 'manual',
        credentials: 'omit',
      }),
    )
    if (answer.ok || answer.status === 304) return answer
    const problem = await withNetworkErrors(origin, signal, () => readProblem(answer))
    if (refusedTokens.has(problem.code) && tokens.drop(token)) throw new TokenDropped(problem)
    throw problem
  }

  /** Replaces a refused token once. If the new token is refused as well, throws that refusal. */
  const send = async (path: string, sending: Sending): Promise<Response> => {
    try {
      return await sendOnce(path, sending)
    } catch (error) {
      if (!(error instanceof TokenDropped)) throw error
    }
    return sendOnce(path, sending).catch((error: unknown) => {
      throw error instanceof TokenDropped ? error.problem : error
    })
  }

  const read = async <T>(path: string, sending: Sending): Promise<Answer<T>> => {
    const kept = cache?.get(path)
    const answer = await send(path, { ...sending, etag: kept?.etag })
    const { headers } = answer
    if (kept && answer.status === 304) return { body: JSON.parse(kept.body), headers, notModified: true }
    const text = await withNetworkErrors(origin, sending.signal, () => answer.text())
    const etag = headers.get('etag')
    if (etag !== null) cache?.set(path, { etag, body: text })
    return { body: JSON.parse(text), headers, notModified: false }
  }

  return {
    origin,
    timeoutMs,
    json: <T>(path: string, sending: Sending & { retry?: Retrying } = {}): Promise<Answer<T>> =>
      withRetry(path, () => read<T>(path, sending), sending.retry ?? retry, sending.signal),
    /** Returns a stream, without time limit and retries: a partial result is not usable. */
    stream: (path: string, sending: Sending): Promise<Response> => send(path, { ...sending, limitMs: null }),
    /** Returns a stream, with the retries of `json` for its beginning only. */
    openStream: (path: string, sending: Sending): Promise<Response> =>
      withRetry(path, () => send(path, { ...sending, limitMs: null }), retry, sending.signal),
  }
}

export type Transport = ReturnType<typeof createTransport>
