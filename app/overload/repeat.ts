import { after as afterMs } from './timer.ts'

export type Repeating = {
  work: () => Promise<unknown>
  /** From the end of one run to the start of the next. */
  everyMs: number
  /** Delay of the first run. Optional. By default it starts synchronously. */
  firstMs?: number
  /** Called with the first failure, and not again until `work` has succeeded. */
  onFailure: (error: Error) => void
  /** See timer.ts. */
  after?: typeof afterMs
}

/**
 * Runs `work` repeatedly, one run at a time. Does not keep the process alive. Returns a function that stops
 * this and waits for a run in progress.
 */
export const repeat = (options: Repeating): (() => Promise<void>) => {
  const { work, everyMs, firstMs, onFailure, after = afterMs } = options
  let callOff = () => {}
  let running: Promise<void> | undefined
  let isStopped = false
  let isFailing = false
  const run = async () => {
    try {
      await work()
      isFailing = false
    } catch (error) {
      if (!isFailing && !isStopped) onFailure(error as Error)
      isFailing = true
    }
    if (!isStopped) callOff = after(everyMs, start)
  }
  const start = () => {
    running = run()
  }
  if (firstMs === undefined) start()
  else callOff = after(firstMs, start)
  return async () => {
    isStopped = true
    callOff()
    await running
  }
}
