import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Instance } from './instances.ts'
import type { Revocation } from './log.ts'
import type { Readers } from './readers.ts'
import type { Stage } from './stage.ts'
import { customers, type Target } from './world.ts'

const usedMs = 700
/** A revoked token is used for longer than it may still work. */
const triedMs = 1_600
const everyMs = 60

/**
 * Repeatedly creates a key, uses its token, revokes the key, and keeps using the token at every instance.
 * Returns a function that stops it.
 */
export const revokeNowAndThen = (
  { instances, operator, logIn }: Stage,
  readers: Readers,
  targets: readonly Target[],
  revocations: Revocation[],
): (() => Promise<void>) => {
  let isStopped = false

  const use = async (customer: string, token: string, ms: number) => {
    const target = targets.find((each) => each.customer === customer) as Target
    const end = performance.now() + ms
    while (performance.now() < end && !isStopped) {
      await Promise.all(
        instances.map((instance) => readers.ask(target, { instance, token }, { plain: true })),
      )
      await delay(everyMs)
    }
  }

  const revoke = async (keyId: string, token: string) => {
    const revocation = { token, startedAt: performance.now(), ackedAt: Number.POSITIVE_INFINITY }
    revocations.push(revocation)
    await operator.query('update api_keys set revoked_at = now() where key_id = $1', [keyId])
    revocation.ackedAt = performance.now()
  }

  const round = async (customer: string, instance: Instance) => {
    const { keyId, token } = await logIn(customer, instance)
    await use(customer, token, usedMs)
    if (isStopped) return
    await revoke(keyId, token)
    await use(customer, token, triedMs)
  }

  const running = (async () => {
    for (let rounds = 0; !isStopped; rounds += 1) {
      const customer = customers[rounds % customers.length] as string
      const instance = instances[rounds % instances.length] as Instance
      // Keys cannot be revoked while the database is unreachable.
      await round(customer, instance).catch(() => delay(everyMs))
    }
  })()
  return async () => {
    isStopped = true
    await running
  }
}
