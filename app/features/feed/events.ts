import { Readable } from 'node:stream'
import { ApiError } from '../../errors.ts'
import type { Ending } from '../../limits/concurrency.ts'
import { after as afterMs } from '../../overload/timer.ts'
import type { FeedPage } from './read.ts'
import type { SyncToken } from './token.ts'
import { reauthorizingWakes, type Wake, type Watch } from './wait.ts'

/** Streams end after this time, so that load balancers can move clients. */
export const longestStreamMs = 15 * 60_000
/** Shorter than the idle timeout of proxies. */
const defaultHeartbeatMs = 15_000
export const mostUnreadBytes = 2 ** 20
const retryMs = 1_000
const retrySpreadMs = 4_000
const longestPauseMs = 2_000

type EventsOptions = {
  /** Read by the caller, because a failure before the stream starts becomes a problem document. */
  first: FeedPage
  read: (token: SyncToken) => Promise<FeedPage>
  format: (page: FeedPage) => { body: string; token: string }
  watch: Watch
  /** Checks the client's rights. Rejects with 503 if they cannot be read now, and otherwise if they were lost. */
  checkRights: () => Promise<unknown>
  ending: Ending
  heartbeatMs?: number
  after?: typeof afterMs
  random?: () => number
}

const ends: readonly (Wake | 'ready')[] = ['time', 'closing', 'gone']

/** Each line of data needs the prefix `data: `. JSON has line feeds only between its parts. */
const eventText = ({ body, token }: { body: string; token: string }): string =>
  `id: ${token}\ndata: ${body.replaceAll('\n', '\ndata: ')}\n\n`

const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status === 503

/**
 * Sends changes immediately, further pages as the client reads. A 503 pauses it for up to 2 s. Ends with the
 * watch or the client's rights. Other failures destroy it, also a read with over `mostUnreadBytes` unread.
 */
export const streamEvents = (options: EventsOptions): Readable => {
  const { first, read, format, watch, checkRights, ending, heartbeatMs = defaultHeartbeatMs } = options
  const { after = afterMs, random = Math.random } = options
  let drained = Promise.withResolvers<'ready'>()
  let pause: Promise<'ready'> | undefined
  let endPause = () => {}
  const stream = new Readable({
    highWaterMark: 64 * 1024,
    read: () => drained.resolve('ready'),
    destroy(error, done) {
      clearInterval(heartbeat)
      endPause()
      watch.end()
      done(error)
    },
  })
  const push = (text: string): void => {
    if (!stream.push(text)) drained = Promise.withResolvers()
  }
  // Unread bytes already keep the connection alive. A heartbeat behind them would delay `drained`.
  const heartbeat = setInterval(() => stream.readableLength === 0 && stream.push(':\n\n'), heartbeatMs)
  ending.once('close', () => stream.destroy())

  const send = (page: FeedPage): void => push(eventText(format(page)))
  const pauseReading = (): void => {
    endPause()
    pause = new Promise((resolve) => {
      endPause = after(random() * longestPauseMs, () => resolve('ready'))
    })
  }
  const isAuthorized = (): Promise<boolean> =>
    checkRights().then(
      () => true,
      (error: unknown) => {
        if (isRefused(error)) throw error
        return false
      },
    )
  let page = first
  /** Kept if `ready` is first: only one call of `next` may be pending, and its wake must not be lost. */
  let woken: Promise<Wake> | undefined
  const waitForReason = async (): Promise<Wake | 'ready'> => {
    woken ??= watch.next()
    const ready = pause ?? (page.hasMore ? drained.promise : undefined)
    const reason = await (ready ? Promise.race([woken, ready]) : woken)
    if (reason !== 'ready') woken = undefined
    return reason
  }
  let mustJudge = false
  const advance = async (reason: Wake | 'ready'): Promise<boolean> => {
    mustJudge ||= reauthorizingWakes.includes(reason)
    if (mustJudge && !(await isAuthorized())) return false
    mustJudge = false
    // The read at the end of the pause finds this change, too.
    if (pause && reason !== 'ready') return true
    pause = undefined
    if (stream.readableLength > mostUnreadBytes) throw new Error('the client is too far behind')
    page = await read(page.token)
    if (page.changes.length > 0) send(page)
    return true
  }
  const advanceOrPause = (reason: Wake | 'ready'): Promise<boolean> =>
    advance(reason).catch((error: unknown) => {
      if (!isRefused(error)) throw error
      pauseReading()
      return true
    })
  const run = async (): Promise<void> => {
    push(`retry: ${Math.floor(retryMs + random() * retrySpreadMs)}\n`)
    send(first)
    for (;;) {
      const reason = await waitForReason()
      if (ends.includes(reason) || !(await advanceOrPause(reason))) break
    }
    clearInterval(heartbeat)
    stream.push(null)
  }
  run().catch((error: Error) => stream.destroy(error))
  return stream
}
