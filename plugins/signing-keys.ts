import fp from 'fastify-plugin'
import type { SigningKeys } from '../app/identity/signing-keys.ts'

export type SigningKeyOptions = {
  signingKeys: Pick<SigningKeys, 'refresh'>
  /** Between two looks at the database. A key is published for far longer before it signs. */
  intervalMs?: number
}

/** Keeps the signing keys current from ready to close. What fails is tried again; the known keys stay. */
export default fp<SigningKeyOptions>(
  (app, { signingKeys, intervalMs = 500 }, done) => {
    let timer: NodeJS.Timeout | undefined
    let running: Promise<void> | undefined
    let isFailing = false
    let isClosed = false

    const refresh = async () => {
      try {
        await signingKeys.refresh()
        isFailing = false
      } catch (error) {
        if (!isFailing)
          app.log.warn({ err: error }, 'signing keys cannot be read: the known keys stay in use')
        isFailing = true
      }
      schedule()
    }
    const start = () => {
      running = refresh()
    }
    const schedule = () => {
      if (!isClosed) timer = setTimeout(start, intervalMs).unref()
    }

    app.addHook('onReady', (next) => {
      schedule()
      next()
    })
    app.addHook('onClose', async () => {
      isClosed = true
      clearTimeout(timer)
      await running
    })
    done()
  },
  { name: 'signing-keys', fastify: '5.x' },
)
