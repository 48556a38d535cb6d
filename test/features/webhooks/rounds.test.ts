import t from 'tap'
import type { LeasedWebhook } from '../../../app/features/webhooks/lease.ts'
import { createRounds } from '../../../app/features/webhooks/rounds.ts'

type Claim = Parameters<Parameters<typeof createRounds>[0]['claim']>[0]

const stage = (claim: (claim: Claim, nth: number) => LeasedWebhook[]) => {
  const claims: Claim[] = []
  const ends = new Map<string, () => void>()
  const stopping = new AbortController()
  const rounds = createRounds({
    claim: async (wanted) => claim(wanted, claims.push(wanted)),
    work: (hook) => new Promise((resolve) => ends.set(hook.webhook_id, resolve)),
    onFailure: (error) => t.fail(error.message),
    stopping: stopping.signal,
    now: () => 0,
  })
  /** Lets all rounds run that need no other event. */
  const settle = async () => {
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate)
  }
  const finish = async (id: string) => {
    ends.get(id)?.()
    await settle()
  }
  return { rounds, claims, ends, stopping, settle, finish }
}

const toHook = (id: string, customer: string, isFailing = false) =>
  ({ webhook_id: id, customer_id: customer, failing_since: isFailing ? '2026-01-01' : null }) as LeasedWebhook

t.test('a customer that changes while its webhook is busy is checked again at its end', async (t) => {
  const { rounds, claims, settle, finish } = stage((_, nth) => (nth === 1 ? [toHook('w', 'acme')] : []))
  const want = async (...customers: string[]) => {
    const before = claims.length
    rounds.want(customers)
    await settle()
    return claims.slice(before).map(({ changed, busy }) => [changed, busy])
  }
  t.same(await want('acme'), [[['acme'], []]])
  t.same(await want('acme'), [[['acme'], ['w']]])
  t.same(await want('bolt'), [[['bolt'], ['w']]], 'the change of another customer')
  await finish('w')
  t.equal(claims.length, 4)
  t.match(claims[3], { changed: ['acme'], busy: [] })
})

t.test('a webhook without a change during its work is not checked at its end', async (t) => {
  const { rounds, claims, settle, finish } = stage((_, nth) => (nth === 1 ? [toHook('w', 'acme')] : []))
  rounds.want(['acme'])
  await settle()
  rounds.want(['bolt'])
  await settle()
  await finish('w')
  t.equal(claims.length, 2)
})

t.test('at most 200 webhooks are sent at a time, and at most 100 of them fail', async (t) => {
  let next = 0
  const { rounds, claims, ends, stopping, settle, finish } = stage(({ most, withFailing }) =>
    Array.from({ length: most }, () => toHook(`w${next++}`, 'acme', withFailing)),
  )
  rounds.want(['*'])
  await settle()
  t.equal(rounds.listBusy().length, 200)
  t.same(new Set(claims.map(({ most }) => most)), new Set([10]))
  t.equal(claims.filter(({ withFailing }) => withFailing).length, 10)
  await finish('w199')
  t.equal(claims.at(-1)?.most, 1)
  t.equal(rounds.listBusy().length, 200)
  stopping.abort()
  for (const end of ends.values()) end()
  await rounds.end()
  t.equal(rounds.listBusy().length, 0)
})
