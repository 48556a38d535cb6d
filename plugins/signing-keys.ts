import fp from 'fastify-plugin'
import type { SigningKeys } from '../app/identity/signing-keys.ts'
import { repeatWhenReady } from './repeat.ts'

type SigningKeyOptions = {
  signingKeys: Pick<SigningKeys, 'refresh'>
  /** Defaults to 500 ms: a new key is published for much longer before it signs. */
  intervalMs?: number
}

export default fp<SigningKeyOptions>(
  async (app, { signingKeys, intervalMs: everyMs = 500 }) => {
    const failure = 'signing keys cannot be read: the known keys stay in use'
    app.addHook('onClose', repeatWhenReady(app, { work: () => signingKeys.refresh(), everyMs, failure }))
  },
  { name: 'signing-keys', fastify: '5.x' },
)
