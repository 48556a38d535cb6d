import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import type { Secrets } from '../../config/secrets.ts'
import { describeEd25519 } from '../../identity/jwk.ts'

export type WebhookKeys = Readonly<{
  /** Returns the header `webhook-signature` (Standard Webhooks, `v1a`), with one signature per key. */
  sign(id: string, timestampSeconds: number, body: Buffer): string
  published: Readonly<{ keys: readonly ReturnType<typeof describe>[] }>
}>

/** RFC 8410, section 7: DER before the 32 bytes of an Ed25519 private key. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

const openKey = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })

const describe = (key: KeyObject) => {
  const jwk = describeEd25519(key)
  return { ...jwk, whpk: `whpk_${Buffer.from(jwk.x, 'base64url').toString('base64')}` }
}

/** Derives one key from each value of SECRET_KEY. During a rotation, messages have both signatures. */
export const createWebhookKeys = (secrets: Pick<Secrets, 'macs'>): WebhookKeys => {
  const keys = secrets.macs('webhook signing key', '').map(openKey)
  return {
    sign(id, timestampSeconds, body) {
      const signed = Buffer.concat([Buffer.from(`${id}.${timestampSeconds}.`), body])
      return keys.map((key) => `v1a,${sign(null, signed, key).toString('base64')}`).join(' ')
    },
    published: { keys: keys.map(describe) },
  }
}
