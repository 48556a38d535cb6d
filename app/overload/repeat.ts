import { after as afterMs } from './timer.ts'

export type Repeating = {
  work: () => Promise<unknown>
  /** Milliseconds from the end of one run to the next. */
  everyMs: number
  /** Milliseconds until the first run. Absent: at once. */
  firstMs?: number
  /** Called with the first failure, and then not again until the work has succeeded. */
  onFailure: (error: Error) => void
  /** See timer.ts. */
  after?: typeof afterMs
}

/**
 * Runs `work` again and again, never twice at once, and keeps no process alive. Returns the function that ends that
 * and waits for a run under way.
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
