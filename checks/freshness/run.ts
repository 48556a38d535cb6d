import { askAfterBypass, isRepaired } from './bypass.ts'
import { askColdKeys } from './cold.ts'
import { type EditedFault, edits } from './edits.ts'
import { nemeses } from './nemesis.ts'
import { askOnOtherTimeline } from './other-timeline.ts'
import { type NemesisName, plans } from './plans.ts'
import { findDenials } from './polls.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { closeConnections } from './readers.ts'
import { runTrial, type TrialOptions, type TrialResult } from './trial.ts'
import { findObjections, formatFaults, formatResults } from './verdict.ts'

/**
 * The freshness checker's long form: `node checks/freshness/run.ts [--long] [--faults] [nemesis…] [cold] [bypass] [polls]`.
 * Runs every nemesis, or the named ones, each for `--seconds=n` (15, with --long 32). `--faults` plants every
 * fault, or the named ones, and expects violations. Exits with 1 if a run without a fault has violations, or
 * if a run with a fault has none.
 */

const args = process.argv.slice(2)
const isLong = args.includes('--long')
const seconds = Number(args.find((arg) => arg.startsWith('--seconds='))?.slice(10) ?? (isLong ? 32 : 15))
const faultSeconds = 10
const coldKeys = 20

const say = (text: string) => process.stdout.write(`${text}\n`)

const explain = (result: TrialResult) => {
  const examples = new Map(result.violations.map((violation) => [violation.kind, violation]))
  for (const { kind, instance, url, detail } of examples.values()) {
    say(`  ${kind}: ${instance} ${url}: ${detail}`)
  }
  for (const each of result.differing.slice(0, 3)) say(`  differs: ${each}`)
}

const report = (result: TrialResult) => {
  const { nemesis, fault, reads, fills, commits, staleness, mirrors } = result
  const objections = [...findObjections(result).keys()].join(', ') || 'none'
  const counts = `${reads} reads, ${commits} commits, ${fills.fills} fills (${fills.mostFillsAtOnce} at once), ${result.stale} said stale, worst ${staleness.worst.toFixed(0)} ms, p99 ${staleness.p99.toFixed(0)} ms, ${mirrors.reads} reads of mirrors, which started again ${mirrors.restarts} times`
  const standby = fills.fromStandby > 0 ? `, ${fills.fromStandby} answered by the standby` : ''
  say(`${fault ?? 'no fault'}, ${nemesis}: ${counts}${standby}; objections: ${objections}`)
  if (!fault) explain(result)
}

const runAll = async (postgres: PostgresServer, names: readonly NemesisName[]): Promise<boolean> => {
  const results: TrialResult[] = []
  for (const name of names) {
    const result = await runTrial({ postgres, nemesis: nemeses[name], seconds })
    report(result)
    results.push(result)
  }
  const reads = results.reduce((total, result) => total + result.reads, 0)
  say(`\n${formatResults(results)}\n\n${reads} reads in all.`)
  return results.every((result) => findObjections(result).size === 0)
}

const runCold = async (postgres: PostgresServer): Promise<boolean> => {
  const shared = await askColdKeys({ postgres }, coldKeys)
  const alone = await askColdKeys({ postgres, withoutRedis: true }, coldKeys)
  const show = (fills: readonly number[]) => [...new Set(fills)].sort().join(', ')
  say(
    `Fills per cold key, 500 concurrent requests on two instances, ${coldKeys} keys: with Redis ${show(shared.fillsPerKey)}, without ${show(alone.fillsPerKey)}; failed requests: ${shared.failed + alone.failed}.`,
  )
  return (
    [...shared.fillsPerKey, ...alone.fillsPerKey].every((fills) => fills <= 2) &&
    shared.failed + alone.failed === 0
  )
}

const runBypass = async (postgres: PostgresServer): Promise<boolean> => {
  const result = await askAfterBypass({ postgres })
  const { differing, repairedAfterMs, feed, ended } = result
  const time = repairedAfterMs === undefined ? 'never' : `after ${Math.round(repairedAfterMs / 1000)} s`
  say(
    `A change without triggers: ${differing.afterBypass} keys differ, repaired ${time}, ${differing.atEnd} differ at the end; feed ${feed.join(', ')}; trusted again: ${ended.join(', ')}.`,
  )
  return isRepaired(result)
}

const runPolls = async (postgres: PostgresServer, fault?: EditedFault): Promise<boolean> => {
  const denied = await findDenials(postgres, fault)
  say(`${fault ?? 'no fault'}, empty polls: ${denied.join(', ') || 'no change was denied'}`)
  return denied.length > 0 === (fault !== undefined)
}

/** Runs the trial with a standby, without and with the fault. */
const runWithStandby = async (options: Omit<TrialOptions, 'postgres'>): Promise<TrialResult> => {
  const postgres = await startPostgres()
  try {
    const standby = await postgres.createStandby()
    try {
      return await runTrial({ ...options, postgres, standby })
    } finally {
      await standby.stop()
    }
  } finally {
    await postgres.stop()
  }
}

/** Runs the fail-over next to a standby, with a correct and a faulty instance. */
const runOtherTimeline = async (): Promise<boolean> => {
  const { sound, faulty } = await askOnOtherTimeline()
  const show = ({ phantoms, answers }: typeof sound) =>
    `${phantoms} of ${answers} answers show lost transactions`
  say(`fail-over next to a standby: ${show(sound)}; foreign-standby: ${show(faulty)}`)
  return sound.phantoms === 0 && faulty.phantoms > 0
}

const runFaults = async (postgres: PostgresServer): Promise<boolean> => {
  const results: TrialResult[] = []
  const edited = Object.keys(edits) as EditedFault[]
  const polled = edited.filter((fault) => args.includes(fault))
  const wanted = plans.filter(({ fault }) => args.includes(fault))
  let areDenialsFound = true
  for (const fault of polled.length + wanted.length > 0 ? polled : edited)
    areDenialsFound = (await runPolls(postgres, fault)) && areDenialsFound
  if (polled.length > 0 && wanted.length === 0) return areDenialsFound
  const healthy = await runWithStandby({ nemesis: nemeses.none, seconds: faultSeconds })
  report(healthy)
  for (const { nemesis, ...plan } of wanted.length > 0 ? wanted : plans) {
    const options = { ...plan, nemesis: nemeses[nemesis], seconds: faultSeconds }
    const isReplica = plan.fault === 'replica-as-primary'
    const result = isReplica ? await runWithStandby(options) : await runTrial({ ...options, postgres })
    report(result)
    results.push(result)
  }
  const isForeignFound = await runOtherTimeline()
  say(`\n${formatFaults(results)}`)
  return (
    areDenialsFound &&
    isForeignFound &&
    findObjections(healthy).size === 0 &&
    results.every((result) => findObjections(result).size > 0)
  )
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const named = args.filter((arg) => arg in nemeses) as NemesisName[]
const isWhole = named.length === 0 && !['cold', 'bypass', 'polls'].some((part) => args.includes(part))
const names = isWhole ? (Object.keys(nemeses) as NemesisName[]) : named
const postgres = await startPostgres()
try {
  const results: boolean[] = []
  if (args.includes('--faults')) results.push(await runFaults(postgres))
  else {
    if (names.length > 0) results.push(await runAll(postgres, names))
    if (isWhole || args.includes('cold')) results.push(await runCold(postgres))
    if (isWhole || args.includes('bypass')) results.push(await runBypass(postgres))
    if (isWhole || args.includes('polls')) results.push(await runPolls(postgres))
  }
  const isGreen = !results.includes(false)
  say(isGreen ? 'green' : 'RED')
  process.exitCode = isGreen ? 0 : 1
} finally {
  await postgres.stop()
  closeConnections()
}
