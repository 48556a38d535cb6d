import os from 'node:os'

type Ending = () => Promise<void>

const endings = new Set<Ending>()
let isWatching = false

const watch = () => {
  if (isWatching) return
  isWatching = true
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      // In parallel, because the sender of the signal may not wait long.
      const ended = Promise.allSettled([...endings].map((end) => end()))
      void ended.then(() => process.exit(128 + os.constants.signals[signal]))
    })
  }
}

/** Also stops `started` if this process receives a signal: PostgreSQL would continue to run. */
export const stopWithProcess = <T extends { stop(): Promise<void> }>(started: T): T => {
  watch()
  let stopped: Promise<void> | undefined
  const stop = () => {
    endings.delete(stop)
    stopped ??= started.stop()
    return stopped
  }
  endings.add(stop)
  return { ...started, stop }
}
