import { after as afterMs } from './timer.ts'

export type Repeating = {
  work: () => Promise<unknown>
  /** From the end of a run to the start of the next. */
  everyMs: number
  /** Optional. By default the first run starts synchronously. */
  firstMs?: number
  /** Not called again until a success. */
  onFailure: (error: Error) => void
  after?: typeof afterMs
}

/** Repeats `work`, one run at a time. Returns a function that stops it and waits for the current run. */
export const repeat = (options: Repeating): (() => Promise<void>) => {
  const { work, everyMs, firstMs, onFailure, after = afterMs } = options
  let cancelTimer = () => {}
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
    if (!isStopped) cancelTimer = after(everyMs, start)
  }
  const start = () => {
    running = run()
  }
  if (firstMs === undefined) start()
  else cancelTimer = after(firstMs, start)
  return async () => {
    isStopped = true
    cancelTimer()
    await running
  }
}
