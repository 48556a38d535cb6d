import closeWithGrace from 'close-with-grace'

type Close = (options: { err?: Error }) => Promise<void>

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** npm forwards signals that a terminal or supervisor has already sent to all processes. */
const echoMs = 500

const install = (delayMs: number, close: Close) =>
  closeWithGrace({ delay: delayMs, logger: false, skip: [...signals] }, close)

/**
 * Closes this process on the first signal or uncaught error, within `delayMs`. Exits with 0 if `close`
 * succeeds, else with 1. A second signal ends it immediately, unless it is an echo.
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

/**
 * The same for a worker. It ignores signals other than SIGTERM, because Ctrl-C reaches workers too, and
 * closes only once. Returns the function that stops it.
 */
export const endByWord = (delayMs: number, close: Close): (() => void) => {
  const grace = install(delayMs, close)
  let isClosing = false
  const stop = () => {
    if (!isClosing) void grace.close()
    isClosing = true
  }
  for (const signal of signals) process.on(signal, signal === 'SIGTERM' ? stop : () => {})
  return stop
}
