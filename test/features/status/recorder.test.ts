import t from 'tap'
import { createRecorder } from '../../../app/features/status/recorder.ts'

const minuteMs = 60_000

/** `fails`: every report is refused. */
const start = () => {
  const clock = { now: 0 }
  const calls: string[] = []
  const warnings: unknown[] = []
  const state = { fails: false }
  const recorder = createRecorder({
    status: {
      async probe() {
        calls.push('probe')
      },
      async report(all = false) {
        calls.push(all ? 'report all' : 'report')
        if (state.fails) throw new Error('refused')
      },
      async refresh() {
        calls.push('refresh')
      },
      prune: async () => {},
    },
    now: () => clock.now,
    warn: (fields) => void warnings.push(fields),
  })
  /** Starts it again at this time, so that a test needs not wait for the timers. */
  const run = async (ms: number) => {
    clock.now = ms
    calls.length = 0
    recorder.start()
    await new Promise(setImmediate)
    return [...calls]
  }
  return { recorder, run, calls, warnings, state }
}

t.test('the first look reads, and later ones read a slot after the report', async (t) => {
  const { recorder, run } = start()
  t.same(await run(31_000), ['probe', 'refresh'])
  t.same(await run(41_000), ['probe'])
  t.same(await run(61_000), ['probe', 'report'])
  t.same(await run(71_000), ['probe', 'refresh'])
  await recorder.stop()
})

t.test('a stop writes the current minute, unless it was never started', async (t) => {
  const { recorder, run, calls } = start()
  await recorder.stop()
  t.same(calls, [])
  await run(31_000)
  await recorder.stop()
  t.same(calls, ['probe', 'refresh', 'report all'])
})

t.test('a failing step is logged once while other steps succeed', async (t) => {
  const { recorder, run, warnings, state } = start()
  state.fails = true
  for (const minute of [1, 2]) {
    await run(minute * minuteMs + 1_000)
    await run(minute * minuteMs + 11_000)
  }
  t.same(warnings, [{ reason: 'refused', step: 'report' }])
  state.fails = false
  await run(3 * minuteMs + 1_000)
  state.fails = true
  await run(4 * minuteMs + 1_000)
  t.equal(warnings.length, 2, 'and again after a success')
  await recorder.stop()
})
