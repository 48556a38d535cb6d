import t from 'tap'
import type { Account } from '../../app/limits/account.ts'
import { createCount, createLimiter, planPolicies } from '../../app/limits/limiter.ts'
import { type Admission, type Costs, createWindow, windowParts } from '../../app/limits/meters.ts'
import type { Policy, PolicyName } from '../../app/limits/store.ts'
import { cases, fc } from '../random.ts'
import { createServer, createSimulation } from './simulation.ts'

const name = { tag: 'acme', name: '' }

type Passed = { atMs: number; doneMs: number; cost: number; admission: Admission }

const createWorld = <Name extends PolicyName>(
  policies: readonly Policy<Name>[],
  instances: number,
  { roundTripMs = () => 1, hasServer = true }: { roundTripMs?: () => number; hasServer?: boolean } = {},
) => {
  const simulation = createSimulation()
  const server = createServer(simulation)
  const { now, after } = simulation
  const accounts = Array.from({ length: instances }, (): Account<Name> => {
    const store = hasServer ? server.connect(roundTripMs) : undefined
    return createLimiter<Name>({ store, now, after, maxAccounts: 10 }).account(name, policies)
  })
  const passed: Passed[] = []
  const ask = (instance: number, cost = 1): void => {
    const atMs = now()
    const done = (admission: Admission) => void passed.push({ atMs, doneMs: now(), cost, admission })
    const costs = Object.fromEntries(policies.map((policy) => [policy.name, cost])) as Costs<Name>
    const admission = (accounts[instance] as Account<Name>).take(costs)
    if (admission instanceof Promise) void admission.then(done)
    else done(admission)
  }
  /** Asks the first instance, and advances the time until it answers. */
  const take = async (costs: Costs<Name>): Promise<Admission> => {
    const admission = (accounts[0] as Account<Name>).take(costs)
    if (admission instanceof Promise) await simulation.runTo(now() + 10)
    return await admission
  }
  return { ...simulation, server, accounts, passed, ask, take }
}

const isAdmitted = ({ admission }: Passed) => admission.violated.length === 0

/** Most admitted units in any window of this length. */
const getPeak = (passed: readonly Passed[], windowMs: number): number => {
  const admitted = passed.filter(isAdmitted).sort((a, b) => a.doneMs - b.doneMs)
  let peak = 0
  let sum = 0
  let first = 0
  for (const each of admitted) {
    sum += each.cost
    while ((admitted[first] as Passed).doneMs <= each.doneMs - windowMs) {
      sum -= (admitted[first] as Passed).cost
      first++
    }
    peak = Math.max(peak, sum)
  }
  return peak
}

const one = (quota: number): readonly Policy<'burst'>[] => [{ name: 'burst', quota, windowSeconds: 1 }]

const traffic = (instances: number) =>
  fc.array(
    fc.record({
      afterMs: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 400 })),
      instance: fc.integer({ min: 0, max: instances - 1 }),
      requests: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 150 })),
    }),
    { minLength: 1, maxLength: 60 },
  )

const worlds = fc
  .record({
    quota: fc.integer({ min: 5, max: 200 }),
    instances: fc.integer({ min: 1, max: 6 }),
    roundTripMs: fc.constantFrom(0, 0.4, 1, 2),
  })
  .chain((world) => traffic(world.instances).map((salvos) => ({ ...world, salvos })))
type Drawn = typeof worlds extends fc.Arbitrary<infer Value> ? Value : never

const play = async ({ quota, instances, roundTripMs, salvos }: Drawn) => {
  const world = createWorld(one(quota), instances, { roundTripMs: () => roundTripMs })
  for (const { afterMs, instance, requests } of salvos) {
    await world.runTo(world.now() + afterMs)
    for (let i = 0; i < requests; i++) world.ask(instance)
  }
  await world.runTo(world.now() + 100)
  return world
}

t.test('no window admits more than 10 % above the quota', async (t) => {
  await fc.assert(
    fc.asyncProperty(worlds, async (drawn) => {
      const { passed } = await play(drawn)
      return getPeak(passed, 1000) <= drawn.quota * 1.1
    }),
    { numRuns: cases(150) },
  )
  t.pass()
})

t.test('no request is refused while the quota has room', async (t) => {
  await fc.assert(
    fc.asyncProperty(worlds, async (drawn) => {
      const { passed } = await play(drawn)
      // Units of one part of the window leave together, and late units are dated at their exchange.
      const longestMs = 1000 * 1.02 + 50 + 4 * drawn.roundTripMs
      for (const { doneMs } of passed.filter((each) => !isAdmitted(each))) {
        const counted = passed.filter(
          (each) => isAdmitted(each) && each.doneMs <= doneMs && each.doneMs > doneMs - longestMs,
        ).length
        if (counted < drawn.quota) return false
      }
      return true
    }),
    { numRuns: cases(150) },
  )
  t.pass()
})

t.test('a flood gets its quota in every window, also with unequal instances', async (t) => {
  for (const weights of [[1], [1, 1], [9, 1], [30, 0], [5, 3, 1, 1]]) {
    const world = createWorld(one(100), weights.length)
    const seconds = 5
    for (let ms = 0; ms < seconds * 1000; ms += 10) {
      await world.runTo(ms)
      for (const [instance, weight] of weights.entries()) for (let i = 0; i < weight; i++) world.ask(instance)
    }
    const total = world.passed.filter(isAdmitted).length
    t.ok(total >= 90 * seconds && total <= 110 * seconds, `${weights}: ${total} of ${100 * seconds}`)
  }
})

t.test('moderate traffic never waits, and settles in batches', async (t) => {
  const world = createWorld(one(100), 2)
  await world.runTo(1)
  for (let i = 0; i < 300; i++) {
    await world.runTo(1 + i * 15)
    world.ask(i % 3 === 0 ? 1 : 0)
  }
  t.ok(world.passed.every((each) => isAdmitted(each) && each.doneMs === each.atMs))
  t.ok(world.server.exchanges <= 150, `${world.server.exchanges} exchanges for 300 requests`)
})

t.test('a request waits at most 5 ms for the store, then the instance decides alone', async (t) => {
  // With a quota of 10, the lease of each of two instances is 0, so that even the first request waits.
  for (const quota of [10, 100]) {
    const world = createWorld(one(quota), 2, { roundTripMs: () => 24 })
    for (let i = 0; i < 150; i++) world.ask(0)
    await world.runTo(4)
    for (let i = 0; i < 50; i++) world.ask(0)
    await world.runTo(100)
    t.equal(world.passed.length, 200)
    t.ok(world.passed.every(({ atMs, doneMs }) => doneMs - atMs <= 5))
    t.equal(world.passed.filter(isAdmitted).length, quota)
  }
})

t.test('once the store is 25 ms late, a new request is decided immediately', async (t) => {
  // The lease of each of two instances is 0, so that a request would wait.
  const world = createWorld(one(10), 2, { roundTripMs: () => 100 })
  const decided: boolean[] = []
  for (const ms of [0, 24, 26]) {
    await world.runTo(ms)
    world.ask(0)
    decided.push(world.passed.some(({ atMs }) => atMs === ms))
  }
  t.same(decided, [false, false, true])
})

t.test('a request beyond the lease of one policy waits for the store', async (t) => {
  // The leases are 8 and 1 units.
  const [account] = createWorld(planPolicies({ burst: 100, minute: 20 }), 1).accounts
  t.notOk(account?.take({ burst: 1, minute: 1 }) instanceof Promise)
  t.ok(account?.take({ burst: 1, minute: 1 }) instanceof Promise)
  t.notOk(account?.tryTake({ burst: 1, minute: 0 }), 'the next one waits behind it')
})

t.test('a lease that arrives after its window is returned', async (t) => {
  let roundTripMs = 24
  const world = createWorld(one(10), 2, { roundTripMs: () => roundTripMs })
  for (let i = 0; i < 4; i++) world.ask(0)
  await world.runTo(200)
  roundTripMs = 1
  for (let i = 0; i < 10; i++) world.ask(1)
  await world.runTo(300)
  t.equal(world.passed.filter(isAdmitted).length, 10)
})

t.test('a late store counts every request once, and no request waits or is refused', async (t) => {
  for (const roundTripMs of [30, 300, 3_000]) {
    const quotas = planPolicies({ burst: 100, minute: 600 })
    const world = createWorld(quotas, 2, { roundTripMs: () => roundTripMs })
    // 80 of 100 a second for seven seconds: 560 of 600 in the minute.
    for (let i = 0; i < 560; i++) {
      await world.runTo(i * 12.5)
      world.ask(i % 2)
    }
    t.ok(
      world.passed.every((each) => isAdmitted(each) && each.doneMs - each.atMs <= 5),
      `${roundTripMs} ms`,
    )
    await world.runTo(world.now() + 4 * roundTripMs + 100)
    const [, minute] = world.accounts.map((account) => account.use()[1]?.remaining)
    t.equal(minute, 40, `${roundTripMs} ms`)
  }
})

t.test('despite slow and lost answers, the store receives each unit once', async (t) => {
  const delays = fc.array(fc.tuple(fc.constantFrom(0, 1, 24, 30, 300, 2_000), fc.boolean()), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(delays, traffic(2), async (drawn, salvos) => {
      let turn = 0
      const world = createWorld([{ name: 'minute', quota: 300, windowSeconds: 3_600 }], 2, {
        roundTripMs: () => {
          const [roundTripMs, isLost] = drawn[turn++ % drawn.length] as [number, boolean]
          world.server.losesAnswers = isLost
          return roundTripMs
        },
      })
      for (const { afterMs, instance, requests } of salvos) {
        await world.runTo(world.now() + afterMs)
        for (let i = 0; i < requests; i++) world.ask(instance)
      }
      await world.runTo(world.now() + 20_000)
      const admitted = world.passed.filter(isAdmitted).length
      const wasLost = drawn.some(([, isLost]) => isLost)
      if (!wasLost) return world.server.counted() === admitted
      // An instance that never received a grant may have refused the request.
      const refused = world.passed.length - admitted
      return world.server.counted() <= admitted + Math.min(world.server.lostGrants, refused)
    }),
    { numRuns: cases(100) },
  )
  t.pass()
})

t.test('while the store is down, every instance enforces the quota alone, without delay', async (t) => {
  const world = createWorld(one(100), 2)
  for (let ms = 0; ms < 4000; ms += 5) {
    await world.runTo(ms)
    if (ms === 1500) world.server.isDown = true
    world.ask(0)
    world.ask(1)
  }
  const alone = world.passed.filter(({ atMs }) => atMs >= 1500)
  t.ok(alone.every(({ atMs, doneMs }) => doneMs - atMs <= 5))
  const total = alone.filter(isAdmitted).length
  t.ok(total >= 2 * 200 && total <= 2 * 300, `${total}`)
  t.ok(getPeak(world.passed, 1000) <= 200)
})

t.test('a store that is back receives the requests admitted without it', async (t) => {
  const world = createWorld(one(100), 2)
  world.server.isDown = true
  for (let i = 0; i < 80; i++) world.ask(0)
  await world.runTo(500)
  world.server.isDown = false
  world.ask(0)
  await world.runTo(600)
  for (let i = 0; i < 100; i++) world.ask(1)
  await world.runTo(700)
  t.equal(world.passed.filter(isAdmitted).length, 100)
})

t.test('without a store the quota is exact in every window', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 50 }), traffic(1), async (quota, salvos) => {
      const world = createWorld(one(quota), 1, { hasServer: false })
      for (const { afterMs, requests } of salvos) {
        await world.runTo(world.now() + afterMs)
        for (let i = 0; i < requests; i++) world.ask(0)
      }
      return getPeak(world.passed, 1000) <= quota && world.passed.every((each) => each.doneMs === each.atMs)
    }),
    { numRuns: cases(50) },
  )
  t.pass()
})

t.test('a client that waits for Retry-After is admitted', async (t) => {
  await fc.assert(
    fc.asyncProperty(traffic(1), fc.integer({ min: 1, max: 10 }), async (salvos, cost) => {
      const world = createWorld(planPolicies({ burst: 20, minute: 60 }), 1)
      for (const { afterMs, requests } of salvos) {
        await world.runTo(world.now() + afterMs)
        for (let i = 0; i < requests; i++) world.ask(0)
      }
      await world.runTo(world.now() + 100)
      const admission = await world.take({ burst: 1, minute: cost })
      if (admission.violated.length === 0) return true
      await world.runTo(world.now() + admission.retryAfterSeconds * 1000)
      const { violated } = await world.take({ burst: 1, minute: cost })
      return violated.length === 0 && admission.retryAfterSeconds >= 1
    }),
    { numRuns: cases(50) },
  )
  t.pass()
})

t.test('each policy is checked, named and counted separately', async (t) => {
  const world = createWorld(planPolicies({ burst: 100, minute: 20 }), 1)
  // @ts-expect-error A policy without a cost would limit nothing.
  void (() => world.take({ burst: 1 }))
  for (let i = 0; i < 2; i++) t.same((await world.take({ burst: 1, minute: 10 })).violated, [])
  const refused = await world.take({ burst: 1, minute: 10 })
  t.same(refused.violated, ['minute'])
  t.equal(refused.retryAfterSeconds, 60)
  t.same((await world.take({ burst: 1, minute: 0 })).violated, [])
  t.same(
    world.accounts[0]?.use().map(({ remaining }) => remaining),
    [97, 0],
    'a refused request is not counted anywhere',
  )
  world.accounts[0]?.refund({ burst: 0, minute: 10 }, 0)
  await world.runTo(world.now() + 100)
  t.same(
    (await world.take({ burst: 1, minute: 10 })).violated,
    [],
    'what is given back is there for the next',
  )
})

t.test('a refund leaves the window with the units that it takes back', async (t) => {
  const minute = [{ name: 'minute', quota: 60, windowSeconds: 60 }] as const
  // 30 s: Redis has counted the units long before. 10 ms: it has not. 1.2 s is one part of the window.
  for (const hasServer of [false, true]) {
    for (const refundedAfterMs of [10, 1_200, 1_300, 30_000, 59_000]) {
      const world = createWorld(minute, 2, { hasServer })
      const [account, other] = world.accounts as [Account<'minute'>, Account<'minute'>]
      await world.runTo(1_000)
      const sinceMs = account.now()
      t.same((await world.take({ minute: 10 })).violated, [])
      await world.runTo(1_000 + refundedAfterMs)
      account.refund({ minute: 9 }, sinceMs)
      await world.runTo(world.now() + 100)
      t.equal(account.use()[0]?.remaining, 59, 'it is effective immediately')
      // Until just after the first unit has left, but not yet the time of the refund plus a window.
      await world.runTo(63_000)
      for (let i = 0; i < 80; i++) world.ask(0)
      await world.runTo(world.now() + 100)
      const admitted = world.passed.filter(isAdmitted).length
      const name = `after ${refundedAfterMs} ms ${hasServer ? 'with' : 'without'} a store`
      t.ok(admitted >= 59 && admitted <= 60, `${admitted} of 60, ${name}`)
      if (hasServer) {
        t.equal(world.server.counted(), admitted, name)
        other.charge({ minute: 1 })
        await world.runTo(world.now() + 100)
        t.equal(other.use()[0]?.remaining, Math.max(0, 59 - admitted), name)
      }
    }
  }
})

t.test('units that have left the window are not refunded', async (t) => {
  for (const hasServer of [false, true]) {
    const world = createWorld(one(10), 1, { hasServer })
    const sinceMs = world.now()
    t.same((await world.take({ burst: 8 })).violated, [])
    await world.runTo(800)
    t.same((await world.take({ burst: 2 })).violated, [])
    await world.runTo(1_500)
    world.accounts[0]?.refund({ burst: 7 }, sinceMs)
    for (let i = 0; i < 30; i++) world.ask(0)
    await world.runTo(world.now() + 100)
    t.equal(world.passed.filter(isAdmitted).length, 8)
  }
})

t.test('a change of plan keeps the use', async (t) => {
  const { now, after, runTo, ...simulation } = createSimulation()
  const store = createServer({ now, after, runTo, ...simulation }).connect(() => 1)
  const limiter = createLimiter<'burst'>({ store, now, after, maxAccounts: 2 })
  const small = one(10)
  const large = one(1000)
  for (let i = 0; i < 10; i++) {
    const pending = limiter.account(name, small).take({ burst: 1 })
    await runTo(now() + 5)
    t.same((await pending).violated, [])
  }
  await runTo(now() + 60)
  limiter.account(name, large).charge({ burst: 1 })
  await runTo(now() + 60)
  t.equal(limiter.account(name, large).use()[0]?.remaining, 989)
})

t.test('units expire one window after they were counted, to a fraction of a millisecond', async () => {
  const instants = fc.double({ min: 0, max: 2 ** 40, noNaN: true })
  fc.assert(
    fc.property(instants, fc.constantFrom(1_000, 60_000), (nowMs, windowMs) => {
      const window = createWindow(windowMs)
      window.add(nowMs, 1)
      const ms = window.freesInMs(nowMs, 1)
      return ms <= windowMs && ms > windowMs - 1
    }),
    { numRuns: cases(1_000) },
  )
})

t.test('counts of the store replace the units from before the mark, and only those', (t) => {
  const windowMs = 1_000
  const afterMark = createWindow(windowMs)
  afterMark.add(0, 1)
  afterMark.mark()
  afterMark.add(1, 2)
  afterMark.replace(1, [])
  t.equal(afterMark.used(1), 2, 'units after the mark do not join the part before it')

  const expired = createWindow(windowMs)
  expired.add(0, 1)
  expired.add(500, 1)
  expired.mark()
  expired.add(windowMs, 4)
  expired.replace(windowMs, [[100, 8]])
  t.equal(expired.used(windowMs), 12, 'a part that has expired moves the mark')

  const emptied = createWindow(windowMs)
  emptied.add(0, 1)
  emptied.mark()
  emptied.add(windowMs, 2)
  emptied.replace(windowMs, [])
  t.equal(emptied.used(windowMs), 2, 'all parts before the mark have expired')
  t.end()
})

t.test('a single instance may be twice as far ahead of the store as each of two', (t) => {
  const countAhead = (instances: number): number => {
    const { accounts } = createWorld(one(100), instances)
    let ahead = 0
    while (ahead < 100 && !((accounts[0] as Account<'burst'>).take({ burst: 1 }) instanceof Promise)) ahead++
    return ahead
  }
  t.ok(countAhead(2) > 0)
  t.equal(countAhead(1), 2 * countAhead(2))
  t.end()
})

t.test('units that left the window during an outage of the store are not reported to it', async (t) => {
  const { server, take, now, runTo } = createWorld(one(100), 1)
  server.isDown = true
  await take({ burst: 5 })
  await runTo(now() + 2_000)
  server.isDown = false
  await take({ burst: 1 })
  await runTo(now() + 500)
  t.equal(server.counted(), 1)
})

t.test('a count has room until its last unit is used', async (t) => {
  const { now, after } = createSimulation()
  const count = createCount<'burst'>({ store: undefined, now, after, maxAccounts: 2 }, 'burst', 2)
  await count.take(name)
  t.doesNotThrow(() => count.requireRoom(name), 'one unit is left')
  await count.take(name)
  t.throws(() => count.requireRoom(name), { code: 'quota_exceeded' })
})

t.test('units of one part leave together, one window after the newest, also after a report', (t) => {
  const windowMs = 1_000
  const window = createWindow(windowMs)
  window.add(0, 8)
  window.mark()
  window.replace(0, [])
  window.add(0, 1)
  window.add(1, 1)
  t.equal(window.used(windowMs), 2)
  t.equal(window.used(windowMs + 1), 0)
  t.end()
})

t.test('units leave by their age, in whatever order the store lists them', async () => {
  const windowMs = 1_000
  const partMs = windowMs / windowParts
  const ages = fc.integer({ min: 0, max: windowParts - 1 }).map((part) => part * partMs)
  const counts = fc.uniqueArray(fc.tuple(ages, fc.integer({ min: 1, max: 2_000 })), {
    selector: ([ageMs]) => ageMs,
    minLength: 2,
    maxLength: 10,
  })
  fc.assert(
    fc.property(counts, (listed) => {
      const window = createWindow(windowMs)
      window.replace(windowMs, listed)
      return listed.every(([ageMs, units]) => {
        const older = listed.filter(([other]) => other > ageMs)
        const left = older.reduce((sum, [, each]) => sum + each, 0)
        return window.freesInMs(windowMs, left + units) === windowMs - ageMs
      })
    }),
    { numRuns: cases(200) },
  )
})

t.test('a unit that is as old as the window is not removed, though its part is still counted', (t) => {
  const windowMs = 1_000
  const window = createWindow(windowMs)
  window.add(0, 1)
  window.add(5, 1)
  t.notOk(window.remove(windowMs, 0, 1))
  t.equal(window.used(windowMs), 2)
  t.ok(window.remove(windowMs, 1, 1))
  t.equal(window.used(windowMs), 1)
  t.end()
})

t.test('units that the store no longer counts are not removed again', (t) => {
  const window = createWindow(1_000)
  window.add(0, 3)
  window.mark()
  window.replace(1, [])
  t.notOk(window.remove(2, 0, 3))
  t.equal(window.used(2), 0)
  t.end()
})
