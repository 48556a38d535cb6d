import fp from 'fastify-plugin'
import type { SigningKeys } from '../app/identity/signing-keys.ts'
import { repeatWhenReady } from './repeat.ts'

type SigningKeyOptions = {
  signingKeys: Pick<SigningKeys, 'refresh'>
  /** Between two looks at the database. A key is published for far longer before it signs. */
  intervalMs?: number
}

/** Keeps the signing keys current from ready to close. What fails is tried again; the known keys stay. */
export default fp<SigningKeyOptions>(
  (app, { signingKeys, intervalMs: everyMs = 500 }, done) => {
    const failure = 'signing keys cannot be read: the known keys stay in use'
    app.addHook('onClose', repeatWhenReady(app, { work: () => signingKeys.refresh(), everyMs, failure }))
    done()
  },
  { name: 'signing-keys', fastify: '5.x' },
)
