import { randomBytes } from 'node:crypto'
import type { Outbound } from '../../http/outbound.ts'
import { parseRetryAfter } from '../../http/retry-after.ts'
import type { WebhookKeys } from './keys.ts'

/**
 * What a receiver is told: that something changed, never what it is now.
 * See docs/decisions/0106-webhooks-carry-a-token.md.
 */
export type WebhookMessage = Readonly<{
  /** Its identity, the same at each attempt. */
  id: string
  type: 'changes.available' | 'webhook.test'
  /** When it was made, RFC 3339. */
  at: string
  /** Resources in which something changed, and `after` for `GET /v1/changes`. */
  data: Readonly<{ resources: readonly string[]; after?: string }>
}>

/**
 * How an attempt ended. `status`: absent without an answer. `result`: in words, for lists. `retryAfterMs`: the receiver's
 * Retry-After, absent if it sent none.
 */
export type DeliveryResult = Readonly<{
  status?: number
  result: string
  retryAfterMs?: number | undefined
}>

/** Sends a message once. Never rejects. */
export type Deliver = (url: string, message: WebhookMessage) => Promise<DeliveryResult>

type DeliverOptions = {
  outbound: Outbound
  keys: Pick<WebhookKeys, 'sign'>
  /** Milliseconds since 1970. */
  now: () => number
}

/** Returns a new name of a message. */
export const createMessageId = (): string => `msg_${randomBytes(16).toString('base64url')}`

/** For everything: name, connection and answer. */
const deliveryTimeoutMs = 10_000
/** An answer's body means nothing; a longer one counts as a failure. */
const maxAnswerBytes = 16 * 1024
const maxResultLength = 200

/** Returns what sends messages by Standard Webhooks, signed, through the guard. */
export const createDeliver =
  ({ outbound, keys, now }: DeliverOptions): Deliver =>
  async (url, { id, type, at, data }) => {
    const body = Buffer.from(JSON.stringify({ type, timestamp: at, data }))
    const timestamp = Math.floor(now() / 1000)
    const headers = {
      'content-type': 'application/json',
      'content-length': String(body.length),
      'user-agent': 'certdata-webhooks',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': keys.sign(id, timestamp, body),
    }
    const bounds = { maxBytes: maxAnswerBytes, timeoutMs: deliveryTimeoutMs }
    try {
      const answer = await outbound(url, { method: 'POST', headers, body, ...bounds })
      const { status } = answer
      const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], now())
      return { status, result: String(status), retryAfterMs }
    } catch (error) {
      return { result: (error as Error).message.slice(0, maxResultLength) }
    }
  }

/** Whether the receiver took the message. */
export const isDelivered = ({ status = 0 }: DeliveryResult): boolean => status >= 200 && status < 300
