import type { Test } from 'tap'
import { planPolicies } from '../../app/limits/limiter.ts'
import { createRedisLimits } from '../../app/limits/redis.ts'
import { after } from '../../app/overload/timer.ts'
import { until } from './until.ts'

/** Of a hundred a second and six hundred a minute. */
export const policies = planPolicies({ burst: 100, minute: 600 })
const [, minute] = policies as [(typeof policies)[0], (typeof policies)[0]]

let accounts = 0
/** An account that nobody has asked for. */
export const newName = () => ({ tag: `customer-${++accounts}`, name: '' })

/** What an instance tells Redis of the minute: units it has spent, and units it would like. */
export const demand = (spent: number, wanted: number) => [{ policy: minute, spent, wanted }]

/** An instance's counts in Redis, once it is connected; closed with the test. */
export const connectStore = async (t: Test, url: string, warn: (message: string) => void = () => {}) => {
  const store = createRedisLimits({ url, after, warn })
  t.teardown(() => store.close())
  await until(() => !store.isDown)
  return store
}
