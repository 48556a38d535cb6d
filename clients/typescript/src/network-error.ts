/**
 * Why no complete answer arrived. `unresolved`: the host name has no address. `refused`: nothing listens there.
 * `certificate`: its certificate is not trusted. `timeout`: the time limit was reached. `incomplete`: the
 * connection broke. `unreachable`: any other reason, and every reason in a browser, which tells none.
 */
export type NetworkReason =
  | 'unresolved'
  | 'refused'
  | 'certificate'
  | 'timeout'
  | 'incomplete'
  | 'unreachable'

/** No complete answer arrived. `cause` is the error of `fetch`. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  /** A code for programs. */
  readonly reason: NetworkReason
  /** The system's code, such as `ECONNREFUSED`. `undefined` in browsers. */
  readonly code: string | undefined

  constructor(
    reason: NetworkReason,
    message: string,
    { code, cause }: { code?: string; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.reason = reason
    this.code = code
  }
}

const words: Readonly<Record<NetworkReason, string>> = {
  unresolved: 'its name has no address',
  refused: 'nothing listens there',
  certificate: 'its certificate is not trusted',
  timeout: 'it took too long',
  incomplete: 'the connection broke',
  unreachable: 'it cannot be reached',
}

/** Codes of Node.js, of OpenSSL and of its HTTP client. */
const codes: readonly (readonly [pattern: RegExp, reason: NetworkReason])[] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'unresolved'],
  [/^ECONNREFUSED$/, 'refused'],
  [/CERT|^UNABLE_TO_|^ERR_TLS_|^HOSTNAME_MISMATCH$/, 'certificate'],
  [/TIMEDOUT$|TIMEOUT$/, 'timeout'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_ABORTED|HPE_\w+|UND_ERR_RES_\w+)$/, 'incomplete'],
]

const findReason = (error: Error, code: string | undefined): NetworkReason => {
  if (error.name === 'TimeoutError') return 'timeout'
  if (code !== undefined) return codes.find(([pattern]) => pattern.test(code))?.[1] ?? 'unreachable'
  return error.message === 'terminated' ? 'incomplete' : 'unreachable'
}

const isOfNetwork = (error: unknown): error is Error =>
  error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')

/**
 * Converts an error of `fetch` to a NetworkError. Without a complete answer, fetch throws a TypeError, or the
 * TimeoutError of a signal. Returns any other error unchanged, also if the caller's `signal` is the reason.
 */
const toNetworkError = (error: unknown, from: string, signal: AbortSignal | undefined): unknown => {
  if (!isOfNetwork(error) || signal?.aborted) return error
  const code = (error.cause as { code?: unknown } | undefined)?.code
  const known = typeof code === 'string' ? code : undefined
  const reason = findReason(error, known)
  const message = `No complete answer from ${from}: ${words[reason]}${known ? ` (${known})` : ''}`
  return new NetworkError(
    reason,
    message,
    known === undefined ? { cause: error } : { code: known, cause: error },
  )
}

/** Returns the result of `work`. `from`: the origin or the address that it requests. */
export const withNetworkErrors = async <T>(
  from: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw toNetworkError(error, from, signal)
  }
}
