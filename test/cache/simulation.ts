import { mock } from 'node:test'
import { createFence } from '../../app/cache/fence.ts'
import {
  createFreshnessCheck,
  createLeaseClock,
  type FreshnessCheck,
  type ReadResult,
} from '../../app/cache/freshness.ts'
import { createMemoryCache, entryName } from '../../app/cache/memory.ts'
import { createPoller } from '../../app/cache/poller.ts'
import { createReadThrough } from '../../app/cache/read-through.ts'
import {
  createModel,
  createModelCache,
  createStore,
  customerId,
  getResource,
  parseTime,
  records,
  type Versions,
} from './model.ts'

/** See docs/freshness.md, "How it is proved". */

export type Options = {
  /** Runs with the same options are equal. */
  seed: number
  steps: number
  hasStandby: boolean
  hasRedis: boolean
  /** Plants a fault. */
  spoil?: (freshness: FreshnessCheck) => FreshnessCheck
  /** Plants a fault: the standby's mark is not compared. */
  trustsStandby?: boolean
}

export type Outcome = {
  /** Descriptions of answers that break a promise. */
  broken: string[]
  answers: number
  /** Number of answers with the label. */
  stale: number
  bySource: Record<ReadResult['outcome'], number>
}

const pollTimeoutMs = 400
const promisedMs = 600
const staleMaxMs = 20_000
/** Share of polls without events. */
const gapShare = 0.1
const lostShare = 0.01
/** Maximum of log entries that a promoted server lacks. */
const mostLost = 15
/** Share of requests for a new key. */
const coldShare = 0.25

/** Records and lists, with and without includes. */
const questions = [['a0'], ['a1'], ['a0', 'a1'], ['b0'], ['a0', 'a1', 'b0', 'b1']] as const

const settle = () => new Promise(setImmediate)
const ignore = () => {}

/** Mulberry32. */
const createRandom = (seed: number) => {
  let state = seed
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    random,
    chance: (share: number) => random() < share,
    pick: <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T,
  }
}

const createWorld = (options: Options) => {
  const { random, chance, pick } = createRandom(options.seed)
  let timeMs = 0
  const now = () => timeMs
  const model = createModel(now)
  const trouble = { holdsPolls: false, refusesPolls: false, isGone: false }
  const calm = { ...trouble }
  const waiting: { go: () => void; isHeld: () => boolean }[] = []
  return {
    options,
    random,
    chance,
    pick,
    now,
    model,
    trouble,
    store: createStore(),
    /** Resolves when `go` picks it. */
    turn: (isHeld = () => false) => new Promise<void>((go) => waiting.push({ go, isHeld })),
    /** Resumes one waiting task, and waits for all that follows from it. */
    async go() {
      const next = pick(waiting.filter(({ isHeld }) => !isHeld()))
      if (!next) return
      waiting.splice(waiting.indexOf(next), 1)
      next.go()
      await settle()
    },
    async pass(ms: number) {
      timeMs += ms
      mock.timers.tick(ms)
      await settle()
    },
    write() {
      const xid = pick(model.open)
      if (xid === undefined || (model.open.length < 4 && chance(0.4))) model.begin()
      else if (chance(0.5)) model.write(xid, pick(records))
      else model.end(xid, chance(0.85))
    },
    worry() {
      const kind = random()
      if (kind < 0.2) trouble.holdsPolls = true
      else if (kind < 0.4) trouble.refusesPolls = true
      else if (kind < 0.45) trouble.isGone = true
      else if (kind < 0.5) model.restart()
      else if (kind < 0.6) model.failOver(Math.ceil(mostLost * random()))
      else if (kind < 0.65) model.rebuildStandby()
      else Object.assign(trouble, calm)
    },
  }
}

type World = ReturnType<typeof createWorld>

/** Reads and polls use different connections, and either may be lost. */
const createLines = ({ model, trouble, chance, turn }: World) => {
  const ask = async <T>(act: () => T, isHeld?: () => boolean): Promise<T> => {
    await turn(isHeld)
    if (trouble.isGone) throw new Error('ECONNREFUSED')
    const result = act()
    await turn(isHeld)
    if (trouble.isGone || chance(lostShare)) throw new Error('ECONNRESET')
    return result
  }
  const poll = <T>(act: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const refuse = () => reject(new Error('no answer'))
      setTimeout(refuse, pollTimeoutMs)
      if (trouble.refusesPolls) turn().then(refuse)
      else ask(act, () => trouble.holdsPolls).then(resolve, reject)
    })
  const source = {
    begin: async () => (chance(0.5) ? model.snapshot() : undefined),
    poll: (since: Parameters<typeof model.poll>[0]) => poll(() => model.poll(since, !chance(gapShare))),
    close: async () => {},
  }
  return { ask, source }
}

/** Like app/main/stores.ts. */
const createInstance = (id: string, world: World) => {
  const { model, store, now, turn, chance, random } = world
  const { hasRedis, hasStandby, spoil, trustsStandby } = world.options
  const { ask, source } = createLines(world)
  const fence = createFence()
  const poller = createPoller({ source, fence, clock: createLeaseClock(now, now), warn: ignore })
  const sound = createFreshnessCheck(fence, poller, staleMaxMs, now)
  const freshness = spoil ? spoil(sound) : sound
  const { epoch } = freshness
  const cache = createReadThrough({
    memory: createMemoryCache(1_000_000),
    shared: hasRedis ? createModelCache({ store, epoch, travel: () => turn() }) : undefined,
    freshness,
    longestWaitMs: 1_000,
    wait: () => turn(),
  })
  const read = (asked: readonly string[], noCache: boolean) => {
    const key = `${asked}${chance(coldShare) ? random() : ''}`
    // First as the edge does, then as the router.
    const known = noCache || freshness.isAway() ? undefined : cache.readFresh(entryName(customerId, key))
    const dependsOn = [...new Set(asked.map(getResource))]
    const readStandby = async () => {
      const filled = await ask(() => model.readStandby(asked))
      return trustsStandby ? { ...filled, standby: freshness.mark() } : filled
    }
    const fillFromReplica = hasStandby ? readStandby : undefined
    const fill = () => ask(() => model.read(asked))
    return known ?? cache.read({ customerId, key, dependsOn, fill, fillFromReplica, noCache })
  }
  /** The newest version of each record in answers without the label, since the last fail-over. */
  const shown: Record<string, number> = {}
  const history = { promotions: 0, shown }
  return { id, read, history, start: poller.start, close: poller.close }
}

type Instance = ReturnType<typeof createInstance>

type Asked = {
  asked: readonly string[]
  noCache: boolean
  shownBefore: Versions
  due: Versions
  promotions: number
  /** Whether the last fail-over was long enough ago that polls must have noticed it. */
  isSettled: boolean
}

const listVersions = ({ entry }: ReadResult): Versions => JSON.parse(entry.body.toString())

const findFaults = (answer: ReadResult, question: Asked, { model }: World) => {
  const { asked, noCache, shownBefore, due } = question
  const shown = listVersions(answer)
  const isStale = answer.staleSeconds !== undefined
  const lacks = (kind: string, least: Versions) =>
    asked
      .filter((record) => (shown[record] ?? 0) < (least[record] ?? 0))
      .map((record) => `${kind}: ${record} at ${shown[record]}, not ${least[record]} (${answer.outcome})`)
  // The due commits may be lost with the previous primary.
  if (question.promotions !== model.promotions) return []
  const phantoms = Object.entries(model.committed())
    .filter(([record, version]) => (shown[record] ?? 0) > version)
    .map(([record, version]) => `phantom: ${record} at ${shown[record]}, not ${version} (${answer.outcome})`)
  return [
    ...(isStale || !question.isSettled ? [] : phantoms),
    ...(isStale && noCache ? ['no-cache: stale'] : []),
    ...(isStale ? [] : lacks('backwards', shownBefore)),
    ...(isStale ? [] : lacks(noCache ? 'no-cache' : 'late', due)),
    ...lacks('as-of', model.committedBefore(parseTime(answer.asOf))),
  ]
}

const createAsker = (world: World) => {
  const { model, now, chance, pick, options } = world
  const outcome: Outcome = {
    broken: [],
    answers: 0,
    stale: 0,
    bySource: { memory: 0, redis: 0, database: 0 },
  }

  const getHistory = ({ history }: Instance) => {
    const { promotions } = model
    if (history.promotions !== promotions) Object.assign(history, { promotions, shown: {} })
    return history
  }

  const note = (instance: Instance, question: Asked, answer: ReadResult) => {
    const faults = findFaults(answer, question, world)
    outcome.broken.push(
      ...faults.map((fault) => `${fault}, instance ${instance.id}, seed ${options.seed}, ${now()} ms`),
    )
    outcome.answers += 1
    outcome.bySource[answer.outcome] += 1
    if (answer.staleSeconds !== undefined) {
      outcome.stale += 1
      return
    }
    const { shown } = getHistory(instance)
    if (!answer.entry.epoch.startsWith(`i${model.promotions} `)) return
    for (const [record, version] of Object.entries(listVersions(answer)))
      shown[record] = Math.max(shown[record] ?? 0, version)
  }

  const ask = (instance: Instance): void => {
    const [asked, noCache] = [pick(questions), chance(0.05)]
    const due = noCache ? model.committed() : model.committedBefore(now() - promisedMs)
    const { promotions, shown } = getHistory(instance)
    const isSettled = now() - model.promotedAt > promisedMs
    const question = { asked, noCache, shownBefore: { ...shown }, due, promotions, isSettled }
    const look = (answer: ReadResult) => {
      note(instance, question, answer)
      if (chance(0.3)) ask(instance)
    }
    const answer = instance.read(asked, noCache)
    if (answer instanceof Promise) answer.then(look, ignore)
    else look(answer)
  }
  return { ask, outcome }
}

const startAll = async (instances: readonly Instance[], { go, pass }: World) => {
  let started = 0
  for (const { start } of instances) {
    void start().then(() => {
      started += 1
    })
  }
  while (started < instances.length) {
    await go()
    await pass(1)
  }
}

/** Mocks timers, so two simulations cannot run at the same time. */
export const simulate = async (options: Options): Promise<Outcome> => {
  const world = createWorld(options)
  const { random, chance, pick, model, go, pass } = world
  const { ask, outcome } = createAsker(world)
  mock.timers.enable({ apis: ['setTimeout'] })
  const instances = ['A', 'B'].map((id) => createInstance(id, world))
  try {
    await startAll(instances, world)
    for (let step = 0; step < options.steps; step += 1) {
      const kind = random()
      if (kind < 0.3) ask(pick(instances))
      else if (kind < 0.6) world.write()
      else if (kind < 0.63) model.follow(random())
      else if (kind < 0.635) model.mark()
      else if (kind < 0.99) for (let count = 0; count < 4; count += 1) await go()
      else world.worry()
      await pass(chance(0.002) ? 700 : 1 + Math.floor(random() ** 4 * 25))
    }
    return outcome
  } finally {
    for (const { close } of instances) void close()
    mock.timers.reset()
  }
}
