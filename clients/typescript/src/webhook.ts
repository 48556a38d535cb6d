import { type Bytes, type Ed25519Key, fromBase64, isSignedBy, joinBytes, utf8 } from './bytes.ts'

/** A key of `/.well-known/webhook-keys.json`. */
export type WebhookKey = Ed25519Key

/** A request to a receiver of webhooks. */
export type WebhookRequest = Readonly<{
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The received body, before any JSON parser. */
  body: string | Uint8Array
}>

export type WebhookOptions = WebhookRequest &
  Readonly<{
    /** The array `keys` of `/.well-known/webhook-keys.json`. */
    keys: readonly WebhookKey[]
    /** Milliseconds since 1970. Defaults to this machine's clock. */
    nowMs?: number
    /** Allowed difference between `webhook-timestamp` and `nowMs`. Defaults to 300. */
    toleranceSeconds?: number
  }>

/** A message that the service signed. */
export type WebhookMessage = {
  /** Equal in all attempts to send the message. */
  id: string
  type: 'changes.available' | 'webhook.test' | (string & {})
  /** When the message was created. */
  timestamp: string
  /** The changed resources, and `after` for the change feed. A test message has no `after`. */
  data: { resources?: string[]; after?: string }
}

export type WebhookReason =
  | 'missing_header'
  | 'malformed_timestamp'
  | 'too_old'
  | 'too_new'
  | 'no_signature'
  | 'wrong_signature'
  | 'malformed_body'

/** The reason to reject a message. Respond with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  /** A code for programs. */
  readonly reason: WebhookReason

  constructor(reason: WebhookReason, message: string) {
    super(message)
    this.reason = reason
  }
}

const requireHeader = ({ headers }: WebhookRequest, name: string): string => {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  if (value) return String(value)
  throw new WebhookError('missing_header', `The header ${name} is missing: does a proxy remove it?`)
}

const requireTime = (timestamp: string, { nowMs = Date.now(), toleranceSeconds = 300 }: WebhookOptions) => {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookError('malformed_timestamp', 'webhook-timestamp is no number of seconds since 1970')
  }
  const age = Math.floor(nowMs / 1000) - Number(timestamp)
  if (Math.abs(age) <= toleranceSeconds) return
  const [reason, words] = age > 0 ? (['too_old', 'old'] as const) : (['too_new', 'ahead'] as const)
  throw new WebhookError(
    reason,
    `The message is ${Math.abs(age)} s ${words}, over ${toleranceSeconds} s: is this machine's clock right?`,
  )
}

const listBytes = (body: unknown): Uint8Array => {
  if (typeof body === 'string') return utf8(body)
  if (body instanceof Uint8Array) return body
  throw new TypeError('Give the body as it came, as text or bytes: a JSON parser before this changes it')
}

const decodeMessage = (id: string, body: Uint8Array): WebhookMessage => {
  let message: unknown
  try {
    message = JSON.parse(new TextDecoder().decode(body))
  } catch {
    message = undefined
  }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) {
    return { id, ...message } as WebhookMessage
  }
  throw new WebhookError('malformed_body', 'The body is no JSON object')
}

/** Whether one of the signatures matches one of the keys. A message has several signatures during a key change. */
const isSigned = async (signatures: readonly string[], keys: readonly WebhookKey[], signed: Bytes) => {
  for (const each of signatures) {
    const signature = fromBase64(each.slice('v1a,'.length))
    for (const key of keys) if (signature && (await isSignedBy(key, signature, signed))) return true
  }
  return false
}

/**
 * Returns the message of a webhook that the service signed (Standard Webhooks, `v1a`: Ed25519) within the last five
 * minutes. Rejects with a WebhookError that names the fault.
 */
export const verifyWebhook = async (options: WebhookOptions): Promise<WebhookMessage> => {
  const id = requireHeader(options, 'webhook-id')
  const timestamp = requireHeader(options, 'webhook-timestamp')
  const signatures = requireHeader(options, 'webhook-signature')
    .split(' ')
    .filter((each) => each.startsWith('v1a,'))
  const body = listBytes(options.body)
  requireTime(timestamp, options)
  if (signatures.length === 0) {
    throw new WebhookError('no_signature', 'webhook-signature has no signature of Ed25519 (v1a)')
  }
  if (!(await isSigned(signatures, options.keys, joinBytes(utf8(`${id}.${timestamp}.`), body)))) {
    throw new WebhookError(
      'wrong_signature',
      `None of ${options.keys.length} keys signed this: is the body as it came, and are the keys those of the service?`,
    )
  }
  return decodeMessage(id, body)
}

/** The service recommends caching its keys for an hour. */
const keepMs = 3_600_000
/** Forged messages cause at most one read of the keys in this time. */
const readAgainMs = 60_000

/**
 * Returns a function that verifies messages with cached keys. It caches them for an hour, and reads them
 * again, at most once a minute, if no signature matches.
 */
export const createWebhookVerifier = (readKeys: () => Promise<readonly WebhookKey[]>, now = Date.now) => {
  let kept: { keys: readonly WebhookKey[]; readAtMs: number } | undefined
  let reading: Promise<readonly WebhookKey[]> | undefined

  const findKeys = async (maxAgeMs: number): Promise<readonly WebhookKey[]> => {
    if (kept && now() - kept.readAtMs < maxAgeMs) return kept.keys
    reading ??= readKeys()
      .then((keys) => {
        kept = { keys, readAtMs: now() }
        return keys
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  return async (request: WebhookRequest): Promise<WebhookMessage> => {
    const keys = await findKeys(keepMs)
    try {
      return await verifyWebhook({ ...request, keys, nowMs: now() })
    } catch (error) {
      const isForged = error instanceof WebhookError && error.reason === 'wrong_signature'
      const keysNow = isForged ? await findKeys(readAgainMs) : keys
      if (keysNow === keys) throw error
      return verifyWebhook({ ...request, keys: keysNow, nowMs: now() })
    }
  }
}
