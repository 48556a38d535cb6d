import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../test/helper.ts'
import { type Account, account, findPlace, type Hook } from './hook.ts'
import { addRecord, type Stage } from './stage.ts'

/** A row of the table. `recoveredMs`: milliseconds from the end of the fault until its last change was reported. */
export type Row = {
  name: string
  changes: number
  lost: number
  isOrdered: boolean
  repeated: number
  recoveredMs: number
  longestMs: number
  /** Broken promises. The row is green if there are none. */
  objections: string[]
}

/** `leastMs`: minimum time of the slowest change. If it is shorter, the fault was not in force. */
export type Limits = { recoverMs: number; longestMs?: number; leastMs?: number }

/** Longer than any delay of a first or second attempt. */
const patienceMs = 60_000
const staggerMs = 35

let records = 0
/** Adds a record to each webhook's customer in turn. Retries after errors. Returns a function that stops it. */
export const startWriting = (stage: Stage, hooks: readonly Hook[], everyMs: number) => {
  let isStopped = false
  const write = async (hook: Hook, index: number) => {
    // The first instance to poll takes a webhook. Without the stagger, one instance would take all of them.
    await delay(index * staggerMs)
    while (!isStopped) {
      records += 1
      await addRecord(stage, hook, `r${records}`).catch(() => delay(50))
      await delay(everyMs)
    }
  }
  const done = Promise.all(hooks.map(write))
  return async () => {
    isStopped = true
    await done
  }
}

const tryAccount = async ({ owner }: Stage, hook: Hook): Promise<Account | undefined> => {
  try {
    return account(hook, await findPlace(owner, hook))
  } catch {
    return undefined
  }
}

/** Waits until every change was reported, or until the deadline. The rows contain the missing changes. */
export const untilTold = async (stage: Stage, hooks: readonly Hook[], deadlineMs = patienceMs) => {
  const isTold = async () => {
    for (const hook of hooks) {
      const { told } = (await tryAccount(stage, hook)) ?? {}
      if (!told || told.includes(undefined)) return false
    }
    return true
  }
  await until('every change was told', isTold, deadlineMs).catch(() => {})
}

/** Returns the row of these webhooks. `endedAtMs`: end of the fault. */
export const judge = async (
  stage: Stage,
  name: string,
  hooks: readonly Hook[],
  endedAtMs: number,
  { recoverMs, longestMs: mostMs = Number.POSITIVE_INFINITY, leastMs = 0 }: Limits,
): Promise<Row> => {
  const row = { name, changes: 0, lost: 0, isOrdered: true, repeated: 0, recoveredMs: 0, longestMs: 0 }
  for (const hook of hooks) {
    const { told, repeated, isOrdered } = account(hook, await findPlace(stage.owner, hook))
    row.changes += told.length
    row.repeated += repeated
    row.isOrdered &&= isOrdered
    for (const [index, ms] of told.entries()) {
      const { committedAtMs } = hook.changes[index] as Hook['changes'][number]
      if (ms === undefined) row.lost += 1
      else row.longestMs = Math.max(row.longestMs, ms)
      if (ms !== undefined && committedAtMs <= endedAtMs) {
        row.recoveredMs = Math.max(row.recoveredMs, committedAtMs + ms - endedAtMs)
      }
    }
  }
  const objections = [
    ...(row.changes === 0 ? ['nothing was changed'] : []),
    ...(row.lost > 0 ? [`${row.lost} not told`] : []),
    ...(row.isOrdered ? [] : ['out of order']),
    ...(row.longestMs < leastMs ? ['the fault was not in force'] : []),
    ...(row.recoveredMs > recoverMs ? [`recovered after ${row.recoveredMs.toFixed(0)} ms`] : []),
    ...(row.longestMs > mostMs ? [`a change took ${row.longestMs.toFixed(0)} ms`] : []),
  ]
  return { ...row, objections }
}

export const addHooks = async (stage: Stage, count: number): Promise<Hook[]> => {
  const hooks: Hook[] = []
  for (let n = 0; n < count; n++) hooks.push(await stage.addHook())
  return hooks
}

export type Fault = {
  name: string
  limits: Limits
  holdMs: number
  start(stage: Stage, hooks: readonly Hook[]): Promise<void>
  /** Ends the fault. Recovery counts from here. */
  end?(stage: Stage, hooks: readonly Hook[]): Promise<void>
  /** Called after the recovery. */
  clear?(stage: Stage): Promise<void>
  /** Returns other problems at the end. */
  verify?(stage: Stage, hooks: readonly Hook[]): Promise<string[]>
}

const calmMs = 1_000

/** Runs a fault while records are written, and waits until all changes were reported. */
export const runFault = async (stage: Stage, fault: Fault, hookCount = 8): Promise<Row> => {
  const hooks = await addHooks(stage, hookCount)
  // Slow answers, so that messages are always in progress.
  for (const { receiver } of hooks) {
    receiver.answer = (response) => {
      setTimeout(() => response.writeHead(204).end(), 200)
      return true
    }
  }
  const stop = startWriting(stage, hooks, 200)
  await delay(calmMs)
  await fault.start(stage, hooks)
  await delay(fault.holdMs)
  await fault.end?.(stage, hooks)
  const endedAtMs = performance.now()
  await delay(calmMs)
  await stop()
  await untilTold(stage, hooks)
  await fault.clear?.(stage)
  const row = await judge(stage, fault.name, hooks, endedAtMs, fault.limits)
  return { ...row, objections: [...row.objections, ...((await fault.verify?.(stage, hooks)) ?? [])] }
}
