import closeWithGrace from 'close-with-grace'

type Close = (options: { err?: Error }) => Promise<void>

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/**
 * npm passes on what the terminal or the supervisor has already sent to everybody, so that one wish to end comes
 * twice. Nobody means it again so soon.
 */
const echoMs = 500

const install = (delayMs: number, close: Close) =>
  closeWithGrace({ delay: delayMs, logger: false, skip: [...signals] }, close)

/**
 * Ends this process in order by the first signal, or error that nobody caught: with 0 when `close` is through,
 * otherwise 1, and after `delayMs` whatever hangs. A second signal ends it at once.
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
 * The same for a worker, which a terminal's Ctrl-C and some platforms' SIGTERM reach too: it ends when it is told
 * to, and once. Returns what tells it.
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
