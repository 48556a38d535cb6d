import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fault, OpenRoute } from './fault.ts'
import { judgeRun, type Verdict } from './judge.ts'
import type { Stage } from './stage.ts'

const calmMs = 1_000
const defaultHoldMs = 5_000
/** After the time to recover, every request must be answered for this long. */
const afterMs = 1_000
const defaultRecoverMs = 2_000
const warningForm = /"level":"(?:warn|error|fatal)"/

/** `failure`: why the fault could not be run. There is no verdict then. */
export type TrialResult = { fault: Fault; verdict?: Verdict; failure?: string }

const countWarnings = ({ services }: Stage, from: readonly number[]): number =>
  services
    .flatMap(({ output }, index) =>
      output()
        .slice(from[index] ?? 0)
        .split('\n'),
    )
    .filter((line) => warningForm.test(line)).length

const direct = async ({ services }: Stage): Promise<OpenRoute> => ({
  route: { ports: services.map(({ port }) => port) },
  close: async () => {},
})

/** Runs one fault under load: a calm second, the fault, its end, and the time to recover. */
export const runTrial = async (stage: Stage, fault: Fault, holdMs = defaultHoldMs): Promise<TrialResult> => {
  await stage.untilWhole()
  const { route, close } = await (fault.open ?? direct)(stage)
  const processes = [...stage.services]
  const printed = processes.map(({ output }) => output().length)
  const load = stage.loads.start(route)
  await delay(calmMs)
  const startedAt = performance.now()
  await fault.start(stage)
  const inForceAt = performance.now()
  await delay(fault.holdMs ?? holdMs)
  await fault.end(stage)
  const endedAt = performance.now()
  await delay((fault.expected.recoverMs ?? defaultRecoverMs) + afterMs)
  const observations = await load.stop()
  const warnings = countWarnings({ ...stage, services: processes }, printed)
  const isRedis = fault.isRedis === true
  const run = { observations, startedAt, inForceAt, endedAt, warnings, isRedis }
  const verdict = judgeRun(fault.expected, run)
  const ended = stage.services.filter(({ child }) => child.exitCode !== null || child.signalCode !== null)
  const more = [...((await fault.verify?.(stage)) ?? []), ...ended.map(() => 'an instance has ended')]
  await close()
  return { fault, verdict: { ...verdict, objections: [...verdict.objections, ...more] } }
}
