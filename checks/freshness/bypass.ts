import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { createDb } from '../../app/db/connect.ts'
import { regainTrust } from '../../app/db/trust.ts'
import { createReaders, send } from './readers.ts'
import { openStage, type StageOptions } from './stage.ts'
import { findTargets } from './trial.ts'
import { countDifferences } from './truth.ts'

export type BypassResult = {
  /** Numbers of keys that differ from the tables, on both instances. */
  differing: { atFirst: number; afterBypass: number; atEnd: number }
  /** Until no answer differs. `undefined` if some still differ after a minute. */
  repairedAfterMs: number | undefined
  /** Status of the feed: for an earlier token, and for a token after the repair, then and after the end. */
  feed: number[]
  ended: readonly string[]
}

const repairLimitMs = 60_000
const promisedMs = 600
const writeMs = 2_000

const bypass = [
  'alter table products disable trigger all',
  `update products set model = regexp_replace(model, '#.*', '#999999')`,
  'alter table products enable trigger all',
]

/** Changes products without triggers, waits until the probes repair both instances and Redis, and ends the distrust. */
export const askAfterBypass = async (options: StageOptions): Promise<BypassResult> => {
  const stage = await openStage({ ...options, withoutProxies: true })
  const { instances, getToken, victims, writers, close } = stage
  const readers = createReaders()
  const get = (url: string) =>
    send('GET', instances[0]?.port ?? 0, url, { authorization: `Bearer ${getToken('alpha')}` })
  const begin = async (): Promise<string> => {
    const { body } = await get('/v1/changes?resources=products')
    return (JSON.parse(body.toString()) as { page: { next_token: string } }).page.next_token
  }
  const poll = async (token: string) => (await get(`/v1/changes?after=${token}`)).status
  try {
    const targets = await findTargets(readers, stage)
    const count = async () => (await countDifferences(stage, readers, targets)).length
    const atFirst = await count()
    const before = await begin()
    for (const statement of bypass) await victims.owner.query(statement)
    const startedAt = performance.now()
    const afterBypass = await count()
    let repairedAfterMs: number | undefined
    while (repairedAfterMs === undefined && performance.now() - startedAt < repairLimitMs) {
      await delay(promisedMs)
      if ((await count()) === 0) repairedAfterMs = performance.now() - startedAt
    }
    const after = await begin()
    const feed = [await poll(before), await poll(after)]
    const trust = await regainTrust(createDb(victims.owner))
    const ended = trust.ended.map(({ resource }) => resource)
    await delay(promisedMs)
    feed.push(await poll(after))
    const stopWriters = writers.start()
    await delay(writeMs)
    await stopWriters()
    await delay(promisedMs)
    return { differing: { atFirst, afterBypass, atEnd: await count() }, repairedAfterMs, feed, ended }
  } finally {
    await close()
  }
}

/** Whether both instances were wrong, became right, and stayed right, and followers got 410 once. */
export const isRepaired = ({ differing, repairedAfterMs, feed, ended }: BypassResult): boolean =>
  differing.atFirst === 0 &&
  differing.afterBypass > 0 &&
  differing.atEnd === 0 &&
  repairedAfterMs !== undefined &&
  feed.join() === '410,200,200' &&
  ended.includes('products')
