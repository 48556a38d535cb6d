import type { Instance } from '../freshness/instances.ts'
import { nemeses } from '../freshness/nemesis.ts'
import { attachStage } from '../freshness/stage.ts'
import { runTrialOn } from '../freshness/trial.ts'
import { findObjections, formatResults } from '../freshness/verdict.ts'

/** Less than the checker's default, because engines, instances and checker share one machine. */
const requestsPerSecond = 300

const unharmed = () => Promise.reject(new Error('the checker harms nothing here'))

/** An instance that was started elsewhere. Its fills are not counted. */
const toInstance = (port: number, index: number): Instance => ({
  id: String.fromCharCode(65 + index),
  port,
  pid: 0,
  shiftClock: () => {},
  shiftDay: () => {},
  takeCounters: async () => ({ fills: 0, mostFillsAtOnce: 0, fromStandby: 0 }),
  kill: unharmed,
  restart: unharmed,
})

/**
 * Runs the freshness checker's writers, readers and judge on running instances. Judges each instance
 * separately, because an answer of one process sets a bound only for that process. `ownerUrl` is the
 * primary's URL. Returns a report to print, and whether the run had no violations.
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
