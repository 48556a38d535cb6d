import type { FastifyInstance } from 'fastify'
import { after as afterMs } from '../app/overload/timer.ts'

type Repeating = {
  work: () => Promise<unknown>
  /** Milliseconds from the end of one run to the next. */
  everyMs: number
  /** Absent: `everyMs`. */
  firstMs?: number
  /** What the log says of a failure, once until the work succeeds again. */
  failure: string
  /** See app/overload/timer.ts. */
  after?: typeof afterMs
}

/** Runs `work` again and again once the service is ready. Returns what ends that and waits for a run under way. */
export const repeat = (
  app: FastifyInstance,
  { work, everyMs, firstMs = everyMs, failure, after = afterMs }: Repeating,
): (() => Promise<void>) => {
  let callOff = () => {}
  let running: Promise<void> | undefined
  let isStopped = false
  let isFailing = false
  const run = async () => {
    try {
      await work()
      isFailing = false
    } catch (error) {
      if (!isFailing) app.log.warn({ reason: (error as Error).message }, failure)
      isFailing = true
    }
    schedule(everyMs)
  }
  const schedule = (ms: number) => {
    if (isStopped) return
    callOff = after(ms, () => {
      running = run()
    })
  }
  app.addHook('onReady', async () => schedule(firstMs))
  return async () => {
    isStopped = true
    callOff()
    await running
  }
}
