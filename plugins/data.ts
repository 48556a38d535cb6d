import fp from 'fastify-plugin'
import { dayMs } from '../app/config/units.ts'
import { createExports, type Exports } from '../app/export/exports.ts'
import { createRecordExports, type RecordExports } from '../app/export/records.ts'
import { createFeed, type Feed } from '../app/feed/feed.ts'
import { createTokenCodec } from '../app/feed/token.ts'
import { createProveEmpty } from '../app/feed/unchanged.ts'
import { createWaiting, type Waiting } from '../app/feed/wait.ts'
import { createCursorCodec } from '../app/lists/cursor.ts'
import { createLists, type Lists } from '../app/lists/lists.ts'
import { gaugeSum } from '../app/observe/figures.ts'
import { createRecords, type Records } from '../app/records/records.ts'
import type { Deps } from './deps.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** YYYY-MM-DD in UTC, by the database's clock, so that all instances agree. */
    today(): string
    lists: Lists
    records: Records
    exports: Readonly<{ records: RecordExports; rows: Exports }>
    feed: Feed
    feedWaiting: Pick<Waiting, 'count'>
  }
}

const createToday = (now: () => number): (() => string) => {
  let day = Number.NaN
  let date = ''
  return () => {
    const current = Math.floor(now() / dayMs)
    if (current !== day) {
      day = current
      date = new Date(current * dayMs).toISOString().slice(0, 10)
    }
    return date
  }
}

export default fp<Deps>(
  async (app, deps) => {
    const { db, replica, freshness, publicUrl, secrets, databaseNow, now, monotonicNow, exportSource } = deps
    const { cache } = app
    const today = createToday(databaseNow)
    const { concurrency } = app.limiters
    const cursors = createCursorCodec(secrets)
    const lists = createLists({ db, replica, cache, cursors, publicUrl })
    const reading = { lists, today }
    const exports = createExports({ db, source: exportSource, concurrency, today })
    const waiting = createWaiting({ listen: deps.listen, databaseNow, isDraining: deps.isDraining })
    const feed = createFeed({
      db,
      waiting,
      publicUrl,
      today,
      databaseNow,
      concurrency,
      tokens: createTokenCodec(secrets),
      source: exportSource,
      proveEmpty: createProveEmpty({ db, freshness, today, now, monotonicNow }),
    })
    // Long polls end before the server waits for requests in progress.
    app.addHook('preClose', (closed) => {
      waiting.close()
      closed()
    })
    app.decorate('today', today)
    app.decorate('lists', lists)
    app.decorate('records', createRecords({ ...reading, monotonicNow }))
    app.metrics.add([
      gaugeSum(
        'certdata_feed_streams',
        'Exports and snapshots that are being streamed',
        () => exportSource.running,
      ),
      gaugeSum('certdata_feed_waiters', 'Waiting long polls', () => waiting.count),
    ])
    app.decorate('exports', { records: createRecordExports({ exports, today }), rows: exports })
    app.decorate('feed', feed)
    app.decorate('feedWaiting', waiting)
  },
  { name: 'data', dependencies: ['cache', 'limiters', 'metrics'], fastify: '5.x' },
)
