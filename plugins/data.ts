import fp from 'fastify-plugin'
import { createExports, type Exports } from '../app/export/exports.ts'
import { createRecordExports, type RecordExports } from '../app/export/records.ts'
import { createCursorCodec } from '../app/lists/cursor.ts'
import { createLists, type Lists } from '../app/lists/lists.ts'
import { createToday } from '../app/lists/values.ts'
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
  }
}

export default fp<Deps>(
  async (app, deps) => {
    const { db, replica, publicUrl, secrets, databaseNow, monotonicNow, exportSource } = deps
    const { cache } = app
    const today = createToday(databaseNow)
    const { concurrency } = app.limiters
    const cursors = createCursorCodec(secrets)
    const lists = createLists({ db, replica, cache, cursors, publicUrl })
    const reading = { lists, today }
    const exports = createExports({ db, source: exportSource, concurrency, today })
    app.decorate('today', today)
    app.decorate('lists', lists)
    app.decorate('records', createRecords({ ...reading, monotonicNow }))
    app.metrics.add([
      gaugeSum(
        'certdata_feed_streams',
        'Exports and snapshots that are being streamed',
        () => exportSource.running,
      ),
    ])
    app.decorate('exports', { records: createRecordExports({ exports, today }), rows: exports })
  },
  { name: 'data', dependencies: ['cache', 'limiters', 'metrics'], fastify: '5.x' },
)
