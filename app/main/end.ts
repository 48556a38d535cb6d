import type { Worker } from 'node:cluster'
import closeWithGrace from 'close-with-grace'
import { keepOrphan } from '../wire/node.ts'

type Close = (options: { err?: Error }) => Promise<void>

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** npm repeats a signal that a terminal or supervisor has already sent to all processes. */
const echoMs = 500

const install = (delayMs: number, close: Close) => {
  let closing: Promise<void> | undefined
  return closeWithGrace({ delay: delayMs, logger: false, skip: [...signals] }, (options) => {
    closing ??= close(options)
    return closing
  })
}

/**
 * Closes this process on the first signal or uncaught error. Exits with 1 after an error, or if `close` fails
 * or takes longer than `delayMs`. An uncaught error during `close`, or a signal 500 ms later, ends it.
 */
export const endBySignal = (delayMs: number, close: Close): void => {
  const grace = install(delayMs, close)
  let firstAtMs: number | undefined
  const onSignal = () => {
    if (firstAtMs !== undefined && performance.now() - firstAtMs > echoMs) process.exit(1)
    if (firstAtMs !== undefined) return
    firstAtMs = performance.now()
    void grace.close()
  }
  for (const signal of signals) process.on(signal, onSignal)
}

/** Closes a worker on SIGTERM, an error, or if the primary process has ended. Ignores Ctrl-C, which reaches it. */
export const endWorker = (worker: Worker, delayMs: number, close: Close): void => {
  const grace = install(delayMs, close)
  let isClosing = false
  const stop = () => {
    if (!isClosing) void grace.close()
    isClosing = true
  }
  for (const signal of signals) process.on(signal, signal === 'SIGTERM' ? stop : () => {})
  keepOrphan(worker, stop)
}
