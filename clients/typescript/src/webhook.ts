/** A key of `/.well-known/webhook-keys.json`. */
export type WebhookKey = Readonly<{ kty: string; crv: string; x: string }>

/** What a receiver of webhooks has to show. */
export type WebhookRequest = Readonly<{
  /** By lower-case name. */
  headers: Readonly<Record<string, string | undefined>>
  /** The body as it came, before any JSON parser. */
  body: string
  /** The array `keys` of `/.well-known/webhook-keys.json`. */
  keys: readonly WebhookKey[]
  /** Milliseconds since 1970; absent: this machine's clock. */
  nowMs?: number
}>

const toleranceSeconds = 300

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

const decodeSignature = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return fromBase64(text)
  } catch {
    return undefined
  }
}

/**
 * Whether the service has signed a webhook (Standard Webhooks, `v1a`: Ed25519) within the last five minutes. Never
 * rejects for what the sender chose.
 */
export const verifyWebhook = async ({
  headers,
  body,
  keys,
  nowMs = Date.now(),
}: WebhookRequest): Promise<boolean> => {
  const timestamp = headers['webhook-timestamp'] ?? ''
  const age = Math.abs(nowMs / 1000 - Number(timestamp))
  if (!/^\d{1,12}$/.test(timestamp) || age > toleranceSeconds) return false
  const signed = new TextEncoder().encode(`${headers['webhook-id']}.${timestamp}.${body}`)
  for (const each of (headers['webhook-signature'] ?? '').split(' ')) {
    const signature = each.startsWith('v1a,') ? decodeSignature(each.slice(4)) : undefined
    if (!signature) continue
    for (const { kty, crv, x } of keys) {
      const key = await crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify'])
      if (await crypto.subtle.verify('Ed25519', key, signature, signed)) return true
    }
  }
  return false
}
