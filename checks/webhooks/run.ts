import { setTimeout as delay } from 'node:timers/promises'
import * as faults from './faults.ts'
import { account, findPlace } from './hook.ts'
import { runReceivers } from './receiver-faults.ts'
import { addRecord, openStage, type Stage } from './stage.ts'
import { addHooks, type Fault, type Row, runFault, untilTold } from './trial.ts'

/**
 * `npm run check:webhooks [-- --short]`: runs faults of receivers, instances and stores while two instances
 * send webhooks, and measures the time from commit to receiver. Exits with 1 if a change is reported late or
 * never.
 */

const isShort = process.argv.includes('--short')
const say = (text: string) => process.stdout.write(`${text}\n`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** The promise is 2 s. The gate's machine may be busy with other checks. */
const promisedMs = isShort ? 10_000 : 2_000
const hookCount = 10
const everyMs = 75

const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.POSITIVE_INFINITY

const measureLatency = async (stage: Stage, changes: number): Promise<string[]> => {
  const hooks = await addHooks(stage, hookCount)
  // The first delivery of each instance compiles its code.
  for (const hook of hooks) await addRecord(stage, hook, 'first')
  await untilTold(stage, hooks)
  for (const hook of hooks) hook.changes.length = 0
  await delay(1_000)
  for (let n = 0; n < changes; n++) {
    const hook = hooks[n % hookCount]
    if (hook) await addRecord(stage, hook, `l${n}`)
    await delay(everyMs)
  }
  await untilTold(stage, hooks)
  const told: (number | undefined)[] = []
  for (const hook of hooks) told.push(...account(hook, await findPlace(stage.owner, hook)).told)
  const ms = told.filter((each) => each !== undefined).sort((a, b) => a - b)
  const [p50, p99, most] = [percentile(ms, 0.5), percentile(ms, 0.99), ms.at(-1) ?? 0]
  say(
    `commit → receiver, ${told.length} changes, two instances: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, most ${most.toFixed(0)} ms`,
  )
  return [
    ...(ms.length < changes ? [`${changes - ms.length} changes not told`] : []),
    ...(p99 > promisedMs ? [`p99 ${p99.toFixed(0)} ms`] : []),
  ]
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const headings = [
  'fault',
  'changes',
  'not told',
  'in order',
  'repeated',
  'recovered after',
  'longest',
  'verdict',
]
const listCells = (row: Row): string[] => [
  row.name,
  ...[row.changes, row.lost].map(String),
  row.isOrdered ? 'yes' : 'no',
  String(row.repeated),
  `${(row.recoveredMs / 1000).toFixed(1)} s`,
  `${(row.longestMs / 1000).toFixed(1)} s`,
  row.objections.length === 0 ? 'as promised' : `RED: ${row.objections.join('; ')}`,
]

const all = (): Fault[] => [
  faults.twoInstances(),
  faults.instanceKilled,
  faults.instancePaused,
  faults.databaseRestarted,
  faults.redisGone,
  faults.customerErased(),
  faults.longTransaction(),
  faults.clockStepped,
]

const runAll = async (stage: Stage): Promise<Row[]> => {
  if (isShort) {
    const killed = runFault(stage, faults.anyInstanceKilled)
    return (await Promise.all([runReceivers(stage, true), killed])).flat()
  }
  const rows = await runReceivers(stage, false)
  for (const fault of all()) {
    const row = await runFault(stage, fault)
    say(`${row.name}: ${row.objections.join('; ') || 'as promised'}`)
    rows.push(row)
  }
  return rows
}

const startedAt = performance.now()
const stage = await openStage()
const rows: Row[] = []
let late: string[] = []
try {
  late = await measureLatency(stage, isShort ? 30 : 300)
  rows.push(...(await runAll(stage)))
} finally {
  await stage.close()
}
const red = rows.filter(({ objections }) => objections.length > 0).length + late.length
say(`\n${[headings, headings.map(() => '---'), ...rows.map(listCells)].map(line).join('\n')}\n`)
for (const each of late) say(`RED: ${each}`)
say(`${rows.length} rows, ${red} red, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
process.exit(red === 0 ? 0 : 1)
