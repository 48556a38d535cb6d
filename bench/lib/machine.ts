import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'

const ticksPerSecond = 100
/** Index of "steal" in the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. */
const stealField = 7

/**
 * Returns the processor time that the hypervisor took from this machine ("steal"), in milliseconds, summed
 * over all cores since boot. Also 0 on systems that do not report it.
 */
export const stolenMs = (): number => {
  try {
    const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    return (Number(first.trim().split(/\s+/)[1 + stealField]) * 1000) / ticksPerSecond || 0
  } catch {
    return 0
  }
}

const priority = -10
/** Linux shares a core among sessions first, and compares priorities only within a session ("autogroup"). */
const sessionFile = '/proc/self/autogroup'

/**
 * Moves this process and its future children to one core. Server and generator then run in turn, so that each
 * answer costs the same number of wake-ups. Root also gets priority on that core, so that other work moves to
 * other cores. Returns a description for the report.
 */
export const takeCore = (): string => {
  try {
    const core = /^Cpus_allowed_list:.*?(\d+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'
    execFileSync('taskset', ['-acp', core, String(process.pid)], { stdio: 'ignore' })
  } catch {
    return 'on all cores, because taskset is not installed'
  }
  try {
    os.setPriority(priority)
    if (existsSync(sessionFile)) {
      writeFileSync(sessionFile, String(priority))
      process.once('exit', () => writeFileSync(sessionFile, '0'))
    }
    return 'on one core, with priority'
  } catch {
    return 'on one core, without priority'
  }
}

/** The returned function returns the share of all cores' time, 0 to 1, stolen since this call. */
export const watchSteal = (): (() => number) => {
  const [startedAt, before] = [performance.now(), stolenMs()]
  return () => (stolenMs() - before) / Math.max(1, (performance.now() - startedAt) * os.cpus().length)
}

/** `stolen`: share of all cores' time, 0 to 1, that the hypervisor took. */
export type Round<Value> = { value: Value; stolen: number }

export type RoundsOptions<Value> = {
  /** Measured in turn. The results have the same names. */
  subjects: Readonly<Record<string, (round: number) => Promise<Value>>>
  /** Required number of undisturbed rounds. */
  wanted: number
  atMost: number
  /** A round is undisturbed if at most this share was stolen. */
  tolerated: number
}

/**
 * Measures until enough rounds were undisturbed, because a stall of the machine is not a fault of the
 * service. Benches judge only these rounds and report their number.
 */
export const measureUndisturbed = async <Value>({
  subjects,
  wanted,
  atMost,
  tolerated,
}: RoundsOptions<Value>): Promise<Map<string, Round<Value>[]>> => {
  const results = new Map<string, Round<Value>[]>(Object.keys(subjects).map((name) => [name, []]))
  for (let round = 1; round <= atMost; round++) {
    for (const [name, measure] of Object.entries(subjects)) {
      const rounds = results.get(name) as Round<Value>[]
      if (getUndisturbed(rounds, tolerated).length >= wanted) continue
      const stolenShare = watchSteal()
      const value = await measure(round)
      rounds.push({ value, stolen: stolenShare() })
    }
  }
  return results
}

export const getUndisturbed = <Value>(rounds: readonly Round<Value>[], tolerated: number): Value[] =>
  rounds.filter(({ stolen }) => stolen <= tolerated).map(({ value }) => value)
