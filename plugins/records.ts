import fp from 'fastify-plugin'
import { createHistory, type RecordHistories } from '../app/records/history/history.ts'
import { createCursorCodec } from '../app/records/query/cursor.ts'
import { createRecords, type Records } from '../app/records/records.ts'
import type { Deps } from './deps.ts'

type RecordsOptions = Pick<Deps, 'db' | 'replica' | 'publicUrl' | 'secrets' | 'monotonicNow'>

declare module 'fastify' {
  interface FastifyInstance {
    records: Records
    history: RecordHistories
  }
}

export default fp<RecordsOptions>(
  (app, { db, replica, publicUrl, secrets, monotonicNow }, done) => {
    const { cache, today } = app
    const cursors = createCursorCodec(secrets)
    app.decorate('records', createRecords({ db, replica, cache, cursors, publicUrl, today, monotonicNow }))
    app.decorate('history', createHistory({ db, replica, cache, cursors, publicUrl, today }))
    done()
  },
  { name: 'records', dependencies: ['cache', 'calendar'], fastify: '5.x' },
)
