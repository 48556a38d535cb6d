import { randomBytes } from 'node:crypto'
import { jsonType } from '../../http/formats.ts'
import type { Outbound } from '../../http/outbound.ts'
import type { WebhookKeys } from './keys.ts'

const seconds = /^\d{1,9}$/
const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Returns the delay of `Retry-After` (RFC 9110, section 10.2.3) in ms. `undefined` if it is missing or malformed. */
export const parseRetryAfter = (value: string | undefined, nowMs: number): number | undefined => {
  if (value === undefined) return undefined
  if (seconds.test(value)) return Number(value) * 1000
  const at = date.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}

/** It has no data of records. `after`: a sync token. See docs/decisions/0106-webhooks-carry-a-token.md. */
export type WebhookMessage = Readonly<{
  id: string
  type: 'changes.available' | 'webhook.test'
  /** Creation time, RFC 3339. */
  at: string
  data: Readonly<{ resources: readonly string[]; after?: string }>
}>

/** `status`: `undefined` after a redirect or without a whole response. `result`: for the operator. */
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
  now: () => number
}

export const createMessageId = (): string => `msg_${randomBytes(16).toString('base64url')}`

const deliveryTimeoutMs = 10_000
/** A longer response counts as a failure. */
const maxAnswerBytes = 16 * 1024
const maxResultLength = 200

/** Creates the sender of signed messages (Standard Webhooks). */
export const createDeliver =
  ({ outbound, keys, now }: DeliverOptions): Deliver =>
  async (url, { id, type, at, data }) => {
    const body = Buffer.from(JSON.stringify({ type, timestamp: at, data }))
    const timestamp = Math.floor(now() / 1000)
    const headers = {
      'content-type': jsonType,
      'content-length': String(body.length),
      'user-agent': 'certdata-webhooks',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': keys.sign(id, timestamp, body),
    }
    const bounds = { maxBytes: maxAnswerBytes, timeoutMs: deliveryTimeoutMs }
    try {
      const answer = await outbound(url, { headers, body, ...bounds })
      const { status } = answer
      const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], now())
      return { status, result: String(status), retryAfterMs }
    } catch (error) {
      return { result: (error as Error).message.slice(0, maxResultLength) }
    }
  }

export const isDelivered = ({ status = 0 }: DeliveryResult): boolean => status >= 200 && status < 300
