import type { Test } from 'tap'
import { planPolicies } from '../../app/limits/limiter.ts'
import { createRedisLimits } from '../../app/limits/redis.ts'
import { after } from '../../app/overload/timer.ts'
import { until } from './until.ts'

export const policies = planPolicies({ burst: 100, minute: 600 })
const [, minute] = policies as [(typeof policies)[0], (typeof policies)[0]]

let accounts = 0
export const newName = () => ({ tag: `customer-${++accounts}`, name: '' })

/** Of the policy `minute`. */
export const demand = (spent: number, wanted: number) => [{ policy: minute, spent, wanted }]

/** Waits for the connection. The test closes it at its end. */
export const connectStore = async (t: Test, url: string, warn: (message: string) => void = () => {}) => {
  const store = createRedisLimits({ url, view: () => '', after, warn })
  t.teardown(() => store.close())
  await until(() => !store.isDown)
  return store
}
