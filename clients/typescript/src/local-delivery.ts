import { delay } from './abort.ts'
import { type Bytes, type Ed25519Key, fromBase64, joinBytes, toBase64, toBase64Url, utf8 } from './bytes.ts'
import { parseRetryAfter } from './problem.ts'

/** Equal to the service's limits. */
const timeoutMs = 10_000
const maxAnswerBytes = 16 * 1024

/** The service waits 10 s to one hour, and gives up after three days. */
export const shortRetries = { firstDelayMs: 1_000, longestDelayMs: 10_000, giveUpMs: 300_000 }

export type TestKeys = {
  jwk: Ed25519Key
  /** The public key in the format of Standard Webhooks. */
  whpk: string
  /** Returns the header `webhook-signature`. */
  sign(id: string, timestampSeconds: number, body: Bytes): Promise<string>
}

const pemLine = /.{1,64}/g

/** Creates a private key of Ed25519 as PEM (PKCS #8). */
export const createKeyPem = async (): Promise<string> => {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  const { privateKey } = pair as Extract<typeof pair, { privateKey: unknown }>
  const bytes = new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey))
  const lines = toBase64(bytes).match(pemLine) ?? []
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`
}

/** Opens a private key of Ed25519. Throws an Error for any other text. */
export const openTestKeys = async (pem: string): Promise<TestKeys> => {
  const [, base64 = '!'] = /-----BEGIN PRIVATE KEY-----([\sA-Za-z0-9+/=]+)-----END/.exec(pem) ?? []
  const bytes = fromBase64(base64.replaceAll(/\s/g, ''))
  const privateKey =
    bytes && (await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', true, ['sign']).catch(() => undefined))
  if (!privateKey) throw new Error('Expected a private key of Ed25519 as PEM (PKCS #8)')
  const { x = '' } = await crypto.subtle.exportKey('jwk', privateKey)
  return {
    jwk: { kty: 'OKP', crv: 'Ed25519', x },
    whpk: `whpk_${toBase64(fromBase64(x) ?? new Uint8Array())}`,
    async sign(id, timestampSeconds, body) {
      const signed = joinBytes(utf8(`${id}.${timestampSeconds}.`), body)
      return `v1a,${toBase64(new Uint8Array(await crypto.subtle.sign('Ed25519', privateKey, signed)))}`
    },
  }
}

export type TestMessage = {
  type: string
  data: { resources: readonly string[]; after?: string | undefined }
}
type Attempt = { status?: number; result: string; retryAfterMs?: number | undefined }

type DeliveryOptions = {
  /** An address of this machine. */
  forward: string
  keys: TestKeys
  signal: AbortSignal
  log: (line: string) => void
  retries: typeof shortRetries
}

const send = async (
  { forward, keys, signal }: DeliveryOptions,
  id: string,
  body: Bytes,
): Promise<Attempt> => {
  const seconds = Math.floor(Date.now() / 1000)
  try {
    const answer = await fetch(forward, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'certdata-webhooks',
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': await keys.sign(id, seconds, body),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const { byteLength } = await answer.arrayBuffer()
    if (byteLength > maxAnswerBytes) return { result: 'the answer is larger than 16 KiB' }
    const retryAfterMs = parseRetryAfter(answer.headers.get('retry-after'), Date.now())
    return { status: answer.status, result: String(answer.status), retryAfterMs }
  } catch (error) {
    signal.throwIfAborted()
    // Node.js has the reason in `cause`, as a code if it tried several addresses.
    const { message, cause } = error as Error & { cause?: { code?: string; message?: string } }
    return { result: cause?.code || cause?.message || message }
  }
}

/**
 * Sends a message until the receiver accepts it. Rejects if the receiver answers 410 or fails for too long, which
 * would disable a webhook, and with the signal's reason.
 */
export const deliverLocally = async (
  options: DeliveryOptions,
  { type, data }: TestMessage,
): Promise<void> => {
  const { signal, log, retries } = options
  const id = `msg_${toBase64Url(crypto.getRandomValues(new Uint8Array(16)))}`
  const body = utf8(JSON.stringify({ type, timestamp: new Date().toISOString(), data }))
  const beganAtMs = Date.now()
  for (let delayMs = retries.firstDelayMs; ; delayMs = Math.min(delayMs * 2, retries.longestDelayMs)) {
    const { status = 0, result, retryAfterMs = 0 } = await send(options, id, body)
    const line = `${type} ${id} (${data.resources.join(', ')}): ${result}`
    if (status >= 200 && status < 300) return log(line)
    if (status === 410) throw new Error(`${line}. The service would disable the webhook`)
    if (Date.now() - beganAtMs >= retries.giveUpMs)
      throw new Error(`${line}. After three days like this, the service would disable the webhook`)
    const waitMs = Math.max(delayMs, Math.min(retryAfterMs, retries.longestDelayMs))
    log(`${line}, again in ${waitMs / 1000} s`)
    await delay(waitMs, signal)
  }
}
