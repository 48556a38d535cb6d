import type { ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { run } from '../../test/command-line.ts'
import { secretKey, until } from '../../test/helper.ts'
import type { Hook } from './hook.ts'
import { type Answer, take } from './receivers.ts'
import type { Stage } from './stage.ts'
import { addHooks, judge, type Row, startWriting, untilTold } from './trial.ts'

const refuse =
  (send: (response: ServerResponse) => void): Answer =>
  (response) => {
    send(response)
    return false
  }

const drip = (response: ServerResponse) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write('x'), 100)
  response.once('close', () => clearInterval(timer))
}

/** The second attempt starts 10 s after one that fails immediately, or 20 s after one that hangs for 10 s. */
const soonMs = 15_000
const lateMs = 30_000

/** Faults of a receiver, and the limit of the time to recover. */
const wrongs: Record<string, { answer: Answer; recoverMs: number }> = {
  'a receiver away (connections cut)': {
    answer: refuse((response) => response.socket?.destroy()),
    recoverMs: soonMs,
  },
  'a receiver that answers 500': {
    answer: refuse((response) => response.writeHead(500).end()),
    recoverMs: soonMs,
  },
  'a receiver that redirects to a private address': {
    answer: refuse((response) => response.writeHead(307, { location: 'https://10.0.0.1/' }).end()),
    recoverMs: soonMs,
  },
  'a receiver that answers 503 with Retry-After: 15': {
    answer: refuse((response) => response.writeHead(503, { 'retry-after': '15' }).end()),
    recoverMs: lateMs,
  },
  'a receiver that answers with 10 MB': {
    answer: refuse((response) => response.writeHead(200).end(Buffer.alloc(10_000_000))),
    recoverMs: soonMs,
  },
  'a receiver that never answers': { answer: refuse(() => {}), recoverMs: lateMs },
  'a receiver that answers a byte at a time': { answer: refuse(drip), recoverMs: lateMs },
}
const shortWrongs = ['a receiver away (connections cut)', 'a receiver that redirects to a private address']

const controls = 4

const readState = async ({ owner }: Stage, { id }: Hook) => {
  const { rows } = await owner.query('select state, reason from webhooks where webhook_id = $1', [id])
  return `${rows[0]?.state} ${rows[0]?.reason}`
}

const runGone = async (stage: Stage): Promise<Row> => {
  const [hook] = (await addHooks(stage, 1)) as [Hook]
  hook.receiver.answer = refuse((response) => response.writeHead(410).end())
  const stop = startWriting(stage, [hook], 200)
  await until('it is disabled', async () => (await readState(stage, hook)) === 'disabled gone', 30_000)
  const before = hook.receiver.arrivals.length
  await delay(2_000)
  await stop()
  const objections = hook.receiver.arrivals.length > before ? ['a message after 410'] : []
  hook.receiver.answer = take
  const outbound = async () => ({ status: 204, headers: {}, body: Buffer.alloc(0) })
  const env = { DATABASE_URL: stage.url, SECRET_KEY: secretKey }
  const enabled = await run(['webhooks', 'enable', hook.id], { env, outbound })
  if (enabled.code !== 0) objections.push(enabled.stderr)
  const enabledAtMs = performance.now()
  await untilTold(stage, [hook])
  const name = 'a receiver that answers 410: disabled, later enabled'
  const row = await judge(stage, name, [hook], enabledAtMs, { recoverMs: soonMs })
  return { ...row, objections: [...row.objections, ...objections] }
}

/** Runs all receiver faults at the same time, together with healthy receivers. Returns a row for each. */
export const runReceivers = async (stage: Stage, isShort: boolean): Promise<Row[]> => {
  const names = isShort ? shortWrongs : Object.keys(wrongs)
  const hooks = await addHooks(stage, names.length)
  const well = await addHooks(stage, controls)
  const gone = runGone(stage)
  for (const [index, name] of names.entries()) {
    const { receiver } = hooks[index] as Hook
    receiver.answer = wrongs[name]?.answer ?? take
  }
  const stop = startWriting(stage, [...hooks, ...well], 200)
  await delay(isShort ? 1_000 : 6_000)
  for (const { receiver } of hooks) receiver.answer = take
  const endedAtMs = performance.now()
  await stop()
  await untilTold(stage, [...hooks, ...well])
  const rows: Row[] = []
  for (const [index, name] of names.entries()) {
    const { recoverMs = 0 } = wrongs[name] ?? {}
    rows.push(
      await judge(stage, name, [hooks[index] as Hook], endedAtMs, {
        recoverMs: recoverMs * (isShort ? 3 : 1),
      }),
    )
  }
  // The short form also kills an instance, whose messages wait for the end of its lease.
  const others = isShort
    ? { name: 'other receivers, an instance killed at the same time', limits: { recoverMs: 30_000 } }
    : { name: 'other receivers at the same time', limits: { recoverMs: 2_000, longestMs: 2_000 } }
  return [...rows, await gone, await judge(stage, others.name, well, endedAtMs, others.limits)]
}
