import { Readable } from 'node:stream'
import type { Ending } from '../limits/concurrency.ts'
import type { FeedPage } from './read.ts'
import type { SyncToken } from './token.ts'
import { judged, type Wake, type Watch } from './wait.ts'

/** A stream lives no longer, so that load balancers can move clients and every right is judged anew. */
export const longestStreamMs = 15 * 60_000
/** Shorter than proxies wait for a silent answer. */
const defaultHeartbeatMs = 15_000
/** A client that has not taken so many bytes when the next change comes is dropped. */
export const mostUnreadBytes = 2 ** 20
/** Milliseconds after which browsers connect again. */
const retryMs = 1_000

type EventsOptions = {
  /** The first page, read before the answer begins: what fails until then is a problem document. */
  first: FeedPage
  read: (token: SyncToken) => Promise<FeedPage>
  /** The body of a page, as a request without a stream gets it, and its token. */
  format: (page: FeedPage) => { body: string; token: string }
  watch: Watch
  /** Rejects where the client may not go on: its rights have changed. */
  judge: () => Promise<unknown>
  ending: Ending
  heartbeatMs?: number
}

/** Reasons that end a stream. */
const ends: readonly Wake[] = ['time', 'closing', 'gone']

/** One event. Its id is where the next request goes on from. JSON may hold line feeds between its parts only. */
const eventText = ({ body, token }: { body: string; token: string }): string =>
  `id: ${token}\ndata: ${body.replaceAll('\n', '\ndata: ')}\n\n`

/**
 * Returns pages of the feed as server-sent events: the first page at once, a further one whenever something changed.
 * While more can be had at once, it reads as fast as the client does. It ends when the watch says so, and when the client
 * may not go on. A failed read cuts it, and so does a client that is too far behind.
 */
export const streamEvents = (options: EventsOptions): Readable => {
  const { first, read, format, watch, judge, ending, heartbeatMs = defaultHeartbeatMs } = options
  let drained = Promise.withResolvers<'drained'>()
  const stream = new Readable({
    highWaterMark: 64 * 1024,
    read: () => drained.resolve('drained'),
    destroy(error, done) {
      clearInterval(heartbeat)
      watch.end()
      done(error)
    },
  })
  const push = (text: string): void => {
    if (!stream.push(text)) drained = Promise.withResolvers()
  }
  // Not while bytes are unread: they show that the connection lives, and `drained` is a matter of pages.
  const heartbeat = setInterval(() => stream.readableLength === 0 && stream.push(':\n\n'), heartbeatMs)
  ending.once('close', () => stream.destroy())

  const send = (page: FeedPage): void => push(eventText(format(page)))
  const mayGoOn = (): Promise<boolean> =>
    judge().then(
      () => true,
      () => false,
    )
  /** Kept until its reason is heeded: one that comes during a read must not be lost. */
  let woken: Promise<Wake> | undefined
  const run = async (): Promise<void> => {
    let page = first
    push(`retry: ${retryMs}\n`)
    send(page)
    for (;;) {
      woken ??= watch.next()
      const reason = await (page.hasMore ? Promise.race([woken, drained.promise]) : woken)
      if (reason !== 'drained') woken = undefined
      if (reason !== 'drained' && ends.includes(reason)) break
      if (reason !== 'drained' && judged.includes(reason) && !(await mayGoOn())) break
      if (stream.readableLength > mostUnreadBytes) throw new Error('the client is too far behind')
      page = await read(page.token)
      if (page.changes.length > 0) send(page)
    }
    clearInterval(heartbeat)
    stream.push(null)
  }
  run().catch((error: Error) => stream.destroy(error))
  return stream
}
