import t from 'tap'
import { wildcard } from '../../../app/cache/stamped.ts'
import type { LeasedWebhook } from '../../../app/feed/webhooks/lease.ts'
import { createRunning } from '../../../app/feed/webhooks/running.ts'

const start = () => {
  const changed: string[] = []
  const running = createRunning((customer) => changed.push(customer))
  let count = 0
  const begin = (customer: string, failing_since: string | null = null) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const hook = { webhook_id: `wh_${++count}`, customer_id: customer, failing_since }
    running.begin(hook as LeasedWebhook, promise)
    return resolve
  }
  return { running, begin, changed }
}

t.test('places run out, and are free again when work ends', async (t) => {
  const { running, begin } = start()
  const ends = Array.from({ length: 195 }, () => begin('a'))
  t.same(await running.findPlaces(), { most: 5, withFailing: true })
  ends.push(...Array.from({ length: 5 }, () => begin('a')))
  t.equal(running.ids().length, 200)
  const places = running.findPlaces()
  let isFound = false
  void places.then(() => {
    isFound = true
  })
  await new Promise(setImmediate)
  t.notOk(isFound, 'it waits')
  ends[7]?.()
  t.same(await places, { most: 1, withFailing: true })
  for (const end of ends) end()
  await running.end()
  t.same(running.ids(), [])
})

t.test('half of the places are left to receivers that take their messages', async (t) => {
  const { running, begin } = start()
  for (let n = 0; n < 99; n++) begin('a', '2026-01-01T00:00:00Z')
  t.same(await running.findPlaces(), { most: 10, withFailing: true })
  begin('a', '2026-01-01T00:00:00Z')
  t.same(await running.findPlaces(), { most: 10, withFailing: false })
})

t.test('a change during work is told when it ends, once, and none of another customer', async (t) => {
  const { running, begin, changed } = start()
  const [a, b, c] = [begin('a'), begin('b'), begin('c')]
  running.noteChanged(new Set(['a', 'x']))
  running.noteChanged(new Set(['a']))
  t.same(changed, [], 'not before')
  a()
  b()
  await new Promise(setImmediate)
  t.same(changed, ['a'])
  running.noteChanged(new Set([wildcard]))
  c()
  await running.end()
  t.same(changed, ['a', 'c'])
})
