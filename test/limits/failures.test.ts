import t from 'tap'
import { ApiError } from '../../app/errors.ts'
import type { Credential } from '../../app/identity/credential.ts'
import { toApiKeyError } from '../../app/identity/credential-errors.ts'
import type { KeyFacts } from '../../app/identity/facts.ts'
import { createFailures } from '../../app/limits/failures.ts'
import { createLogins } from '../../app/limits/logins.ts'
import { createSimulation } from './simulation.ts'

const open = () => {
  const simulation = createSimulation()
  const counting = { ...simulation, store: undefined, limits: { failedLogins: 10, logins: 60 } }
  const failures = createFailures(counting)
  const sent: { status: number; ip: string; atMs: number }[] = []
  const countAndDelay = (ip: string, keyId?: string) => {
    const note = ({ status }: ApiError) => sent.push({ status, ip, atMs: simulation.now() })
    void failures.countAndDelay(toApiKeyError(), ip, keyId).then(note, note)
  }
  const refuseMany = async (count: number, ip: string, keyId?: string) => {
    for (let n = 0; n < count; n += 1) countAndDelay(ip, keyId)
    await simulation.runTo(simulation.now() + 2_000)
    return sent.splice(0).map(({ status }) => status)
  }
  return {
    ...simulation,
    failures,
    logins: createLogins({ ...counting, failures }),
    sent,
    countAndDelay,
    refuseMany,
  }
}
const repeat = (count: number, status: number) => Array.from({ length: count }, () => status)

t.test('after ten failures in a minute, a network gets 429 half a second later', async (t) => {
  const { now, runTo, sent, countAndDelay, refuseMany } = open()
  t.same(await refuseMany(10, '192.0.2.1'), repeat(10, 401))
  const begun = now()
  countAndDelay('192.0.2.1')
  countAndDelay('192.0.2.2')
  await runTo(begun + 499)
  t.match(sent, [{ status: 401, ip: '192.0.2.2' }], 'another network has its own')
  await runTo(begun + 510)
  t.match(sent.at(1), { status: 429, ip: '192.0.2.1', atMs: begun + 510 })
  await runTo(begun + 60_000)
  sent.length = 0
  t.same(await refuseMany(1, '192.0.2.1'), [401])
})

t.test('the networks of a /48 have twice the failures of one', async (t) => {
  const { refuseMany } = open()
  const statuses: number[] = []
  for (let n = 0; n < 25; n += 1) statuses.push(...(await refuseMany(1, `2001:db8:1:${n}::1`)))
  t.same(statuses, [...repeat(20, 401), ...repeat(5, 429)])
  t.same(await refuseMany(1, '2001:db8:2:1::1'), [401])
})

t.test('an existing key has failures of its own, which also count for the network', async (t) => {
  const { refuseMany } = open()
  t.same(await refuseMany(12, '192.0.2.1', 'one'), [...repeat(10, 401), 429, 429])
  t.same(await refuseMany(1, '192.0.2.1', 'other'), [401])
  t.same(await refuseMany(1, '192.0.2.1'), [429])
})

t.test('at most a thousand refusals a second are sent, and a network waits for few of another', async (t) => {
  const { now, runTo, sent, countAndDelay } = open()
  for (let n = 0; n < 3_000; n += 1) countAndDelay(`10.${n >> 8}.${n & 255}.1`)
  await runTo(now() + 1_000)
  t.ok(sent.length >= 990 && sent.length <= 1_000, `${sent.length}`)
  await runTo(now() + 3_000)
  t.equal(sent.length, 3_000)
  sent.length = 0
  for (let n = 0; n < 4_000; n += 1) countAndDelay('192.0.2.1')
  await runTo(now() + 600)
  const begun = now()
  countAndDelay('192.0.2.2')
  await runTo(begun + 100)
  t.ok(sent.some(({ ip }) => ip === '192.0.2.2'))
})

t.test('above the bound of waiting refusals, the newest is refused with 503', async (t) => {
  const { now, runTo, sent, countAndDelay } = open()
  for (let n = 0; n < 5_100; n += 1) countAndDelay(`10.${n >> 8}.${n & 255}.1`)
  await runTo(now() + 1)
  t.equal(
    sent.filter(({ status }) => status === 503).length,
    90,
    'all but ten that are sent, and 5,000 that wait',
  )
  await runTo(now() + 6_000)
  t.equal(sent.filter(({ status }) => status === 401).length, 5_010)
})

t.test('a correct key is accepted without delay, whatever its network has done', async (t) => {
  const { logins, refuseMany, countAndDelay } = open()
  t.same(await refuseMany(11, '192.0.2.1'), [...repeat(10, 401), 429])
  for (let n = 0; n < 6_000; n += 1) countAndDelay('192.0.2.1')
  const facts = { keyId: 'one', customerId: 'acme' } as KeyFacts
  const credential: Credential = { keyId: 'one', isKnown: () => true, verify: async () => facts }
  t.equal(await logins.logIn(credential, (work) => work(), '192.0.2.1'), facts)
})

t.test('refused tokens wait after a hundred in a minute', async (t) => {
  const { now, runTo, failures } = open()
  let answered = 0
  const toTokenError = () => void failures.delayToken('192.0.2.1').then(() => (answered += 1))
  for (let n = 0; n < 101; n += 1) toTokenError()
  await runTo(now() + 499)
  t.equal(answered, 100)
  await runTo(now() + 12)
  t.equal(answered, 101)
})

t.test('only a 429 of an admission waits', async (t) => {
  const { now, runTo, failures } = open()
  const outcomes: string[] = []
  const admit = (work: Promise<void>) =>
    void failures.delayRefusal('192.0.2.1', work).then(
      () => outcomes.push('admitted'),
      ({ code }: ApiError) => outcomes.push(code),
    )
  admit(Promise.resolve())
  admit(Promise.reject(new ApiError('unavailable')))
  admit(Promise.reject(new ApiError('quota_exceeded')))
  await runTo(now() + 499)
  t.same(outcomes, ['admitted', 'unavailable'])
  await runTo(now() + 12)
  t.same(outcomes, ['admitted', 'unavailable', 'quota_exceeded'])
})
