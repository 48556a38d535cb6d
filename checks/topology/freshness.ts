import type { Instance } from '../freshness/instances.ts'
import { nemeses } from '../freshness/nemesis.ts'
import { attachStage } from '../freshness/stage.ts'
import { runTrialOn } from '../freshness/trial.ts'
import { findObjections, formatResults } from '../freshness/verdict.ts'

/** Less than the checker's own: engines, instances and checker share one machine. */
const requestsPerSecond = 300

const unharmed = () => Promise.reject(new Error('the checker harms nothing here'))

/** An instance that somebody else has started; what it does inside is not counted. */
const toInstance = (port: number, index: number): Instance => ({
  ...{ id: String.fromCharCode(65 + index), port, pid: 0 },
  shiftClock: () => {},
  takeCounters: async () => ({ fills: 0, mostFillsAtOnce: 0, fromStandby: 0 }),
  kill: unharmed,
  restart: unharmed,
})

/**
 * The freshness checker, its writers, readers and judge, on instances that run: each is asked by itself, since what
 * one process has served binds that process. `ownerUrl`: the primary's. Returns what to print, and whether it is
 * green.
 */
export const checkFreshnessOn = async (ownerUrl: string, ports: readonly number[], seconds: number) => {
  const stage = await attachStage(ownerUrl, ports.map(toInstance))
  const result = await runTrialOn(stage, { nemesis: nemeses.none, seconds, requestsPerSecond })
  const examples = result.violations.slice(0, 5).map(({ kind, url, detail }) => `${kind}: ${url}: ${detail}`)
  return {
    isGreen: findObjections(result).size === 0,
    text: [formatResults([result]), ...examples, ...result.differing.slice(0, 5)].join('\n'),
  }
}
