import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'

const ticksPerSecond = 100
/**
 * Index of "steal" in the first line of `/proc/stat`. After the name come user, nice, system, idle, iowait, irq,
 * softirq, steal.
 */
const stealField = 7

/**
 * Returns how much processor time the hypervisor took from this machine ("steal"), in milliseconds. It adds up all
 * cores since the machine started. It is also 0 on systems that do not report it.
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
 * Moves this process, and everything that it starts from now on, to one core. There, server and generator run in
 * turn, so that an answer costs the same number of wake-ups each time. Root also gets priority on that core, so that
 * other work moves to other cores. Returns a description for the report.
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

/** From now on: the returned function tells the share of all cores' time, 0 to 1, that was stolen since. */
export const watchSteal = (): (() => number) => {
  const [startedAt, before] = [performance.now(), stolenMs()]
  return () => (stolenMs() - before) / Math.max(1, (performance.now() - startedAt) * os.cpus().length)
}

/** What a round gave. `stolen`: share of all cores' time, 0 to 1, that the machine was not ours. */
export type Round<Value> = { value: Value; stolen: number }

export type RoundsOptions<Value> = {
  /** What is measured in turn, under the names of the answer. */
  subjects: Readonly<Record<string, (round: number) => Promise<Value>>>
  /** A subject is measured until it has so many undisturbed rounds. */
  wanted: number
  /** And not more often than this. */
  atMost: number
  /** A round is undisturbed where no larger share was stolen. */
  tolerated: number
}

/**
 * Measures until enough rounds were undisturbed. A stall of the machine is no fault of the service. A bench judges
 * the undisturbed rounds, and shows how many they were.
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
