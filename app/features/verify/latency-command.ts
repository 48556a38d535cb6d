import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { Reported } from '../../command-line/refusal.ts'
import { type Output, print, type Shell } from '../../command-line/shell.ts'
import { describeFileFault } from '../../command-line/source.ts'
import { CannotVerify, type Credentials } from './account.ts'
import { measureLatency } from './latency.ts'
import { formatRun, judgeRun, type LatencyRun, latencyRun, listFailed } from './latency-figures.ts'

export type LatencyOptions = Output & {
  latency?: true
  rate?: number
  seconds?: number
  save?: string
  compare?: string
  tolerance: number
}

const usualSeconds = 60
const longestSeconds = 3_600

const parsePositive = (text: string): number => {
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new InvalidArgumentError('expected a number above 0')
}

const parseSeconds = (text: string): number => {
  const value = parsePositive(text)
  if (value <= longestSeconds) return value
  throw new InvalidArgumentError(`expected at most ${longestSeconds}`)
}

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CannotVerify(`${file} cannot be read: ${describeFileFault(cause as Error)}`, { cause })
  }
}

const readRun = (file: string): LatencyRun => {
  const text = readText(file)
  try {
    return latencyRun.parse(JSON.parse(text))
  } catch (cause) {
    throw new CannotVerify(`${file} is no run that --save has written`, { cause })
  }
}

/** Before the measurement, whose figures would be lost. */
const requireWritable = (file: string): void => {
  try {
    accessSync(existsSync(file) ? file : dirname(file), constants.W_OK)
  } catch (cause) {
    throw new CannotVerify(`${file} cannot be written: ${describeFileFault(cause as Error)}`, { cause })
  }
}

const requireSameRate = (before: LatencyRun | undefined, now: LatencyRun): void => {
  if (before === undefined || before.rate === now.rate) return
  throw new CannotVerify(
    `The saved run had ${before.rate} reads a second, and this one ${now.rate}: give the same --rate`,
  )
}

const requireMeasured = (file: string, run: LatencyRun): void => {
  const [failed] = listFailed(run)
  if (failed === undefined) return
  throw new CannotVerify(`${file} has a failed run (${failed}): save one of a service that answers`)
}

/** Adds the options of `verify --latency`. */
export const addLatencyOptions = (command: Command): Command => {
  const options: readonly (readonly [Option, parse?: (text: string) => number])[] = [
    [new Option('--latency', 'measure the times of cached and uncached pages and of logins instead')],
    [new Option('--rate <n>', 'reads a second (default: 5, or half of the quota)'), parsePositive],
    [new Option('--seconds <n>', `how long (default: ${usualSeconds})`), parseSeconds],
    [new Option('--save <file>', 'write the figures to this file')],
    [new Option('--compare <file>', 'compare with the figures of this file, at its rate')],
    [new Option('--tolerance <percent>', 'allowed slowdown of a compared figure').default(25), parsePositive],
  ]
  for (const [option, parse] of options)
    command.addOption(parse === undefined ? option : option.argParser(parse))
  return command
}

/** Returns the name of an option that has an effect only with `--latency`. */
export const findLatencyOption = (options: LatencyOptions): string | undefined =>
  (['rate', 'seconds', 'save', 'compare'] as const).find((name) => options[name] !== undefined)

/** Measures, prints the figures, and throws Reported if a promise is broken or a figure is slower than before. */
export const runLatency = async (
  shell: Shell,
  origin: string,
  credentials: Credentials,
  options: LatencyOptions,
): Promise<void> => {
  const { save, compare, tolerance } = options
  if (save !== undefined) requireWritable(save)
  const before = compare === undefined ? undefined : readRun(compare)
  if (compare !== undefined && before !== undefined) requireMeasured(compare, before)
  const rate = options.rate ?? before?.rate
  const seconds = options.seconds ?? before?.seconds ?? usualSeconds
  const run = await measureLatency({ origin, credentials, rate, seconds })
  requireSameRate(before, run)
  const faults = judgeRun(run, before, tolerance / 100)
  const isFailed = listFailed(run).length > 0
  if (save !== undefined && !isFailed) writeFileSync(save, `${JSON.stringify(run, null, 2)}\n`)
  const lines = [
    formatRun(run, before),
    ...(faults.length > 0 ? faults.map(({ word, reason }) => `${word}  ${reason}`) : ['ok']),
    ...(save !== undefined && isFailed
      ? [`A failed run is no measure for a later one: ${save} is not written`]
      : []),
  ]
  const json = {
    ok: faults.length === 0,
    ...run,
    before: before ?? null,
    faults: faults.map(({ reason }) => reason),
  }
  print(shell, options, json, lines.join('\n'))
  if (faults.length > 0) throw new Reported()
}
