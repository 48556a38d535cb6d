import { Readable } from 'node:stream'
import { ApiError } from '../errors.ts'
import type { Ending } from '../limits/concurrency.ts'
import { after as afterMs } from '../overload/timer.ts'
import type { FeedPage } from './read.ts'
import type { SyncToken } from './token.ts'
import { reauthorizingWakes, type Wake, type Watch } from './wait.ts'

/** Longest life of a stream. It lets load balancers move clients. */
export const longestStreamMs = 15 * 60_000
/** Shorter than proxies wait for a silent response. */
const defaultHeartbeatMs = 15_000
export const mostUnreadBytes = 2 ** 20
const retryMs = 1_000
const retrySpreadMs = 4_000
const longestPauseMs = 2_000

type EventsOptions = {
  /** Read before the response starts, because a failure until then becomes a problem document. */
  first: FeedPage
  read: (token: SyncToken) => Promise<FeedPage>
  format: (page: FeedPage) => { body: string; token: string }
  watch: Watch
  /** Rejects with 503 if rights cannot be read now, with another error if the client has lost them. */
  judge: () => Promise<unknown>
  ending: Ending
  heartbeatMs?: number
  after?: typeof afterMs
  random?: () => number
}

const ends: readonly (Wake | 'ready')[] = ['time', 'closing', 'gone']

/** One event. Its id is the token for the next request. The JSON has line feeds only between its parts. */
const eventText = ({ body, token }: { body: string; token: string }): string =>
  `id: ${token}\ndata: ${body.replaceAll('\n', '\ndata: ')}\n\n`

const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status === 503

/**
 * Streams pages as server-sent events: the first one immediately, another after each change, as fast as the
 * client reads. It pauses after a refused read, and ends with the watch or the client's rights. Any other
 * failed read destroys it, and so does a client with more than `mostUnreadBytes` unread.
 */
export const streamEvents = (options: EventsOptions): Readable => {
  const { first, read, format, watch, judge, ending, heartbeatMs = defaultHeartbeatMs } = options
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
  // Unread bytes already show that the connection is alive. A heartbeat behind them would delay `drained`.
  const heartbeat = setInterval(() => stream.readableLength === 0 && stream.push(':\n\n'), heartbeatMs)
  ending.once('close', () => stream.destroy())

  const send = (page: FeedPage): void => push(eventText(format(page)))
  const pauseReading = (): void => {
    endPause()
    pause = new Promise((resolve) => {
      endPause = after(random() * longestPauseMs, () => resolve('ready'))
    })
  }
  const mayGoOn = (): Promise<boolean> =>
    judge().then(
      () => true,
      (error: unknown) => {
        if (isRefused(error)) throw error
        return false
      },
    )
  /** Kept until it resolves, so that a wake during a read is not lost. */
  let woken: Promise<Wake> | undefined
  const waitForReason = async (hasMore: boolean): Promise<Wake | 'ready'> => {
    woken ??= watch.next()
    const ready = pause ?? (hasMore ? drained.promise : undefined)
    const reason = await (ready ? Promise.race([woken, ready]) : woken)
    if (reason !== 'ready') woken = undefined
    return reason
  }
  const run = async (): Promise<void> => {
    let page = first
    let mustJudge = false
    push(`retry: ${Math.floor(retryMs + random() * retrySpreadMs)}\n`)
    send(page)
    for (;;) {
      const reason = await waitForReason(page.hasMore)
      if (ends.includes(reason)) break
      mustJudge ||= reauthorizingWakes.includes(reason)
      try {
        if (mustJudge && !(await mayGoOn())) break
        mustJudge = false
        // The read after the pause finds this change, too.
        if (pause && reason !== 'ready') continue
        pause = undefined
        if (stream.readableLength > mostUnreadBytes) throw new Error('the client is too far behind')
        page = await read(page.token)
      } catch (error) {
        if (!isRefused(error)) throw error
        pauseReading()
        continue
      }
      if (page.changes.length > 0) send(page)
    }
    clearInterval(heartbeat)
    stream.push(null)
  }
  run().catch((error: Error) => stream.destroy(error))
  return stream
}
