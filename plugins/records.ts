import fp from 'fastify-plugin'
import { createCursorCodec } from '../app/records/query/cursor.ts'
import { createRecords, type Records } from '../app/records/records.ts'
import type { Deps } from './deps.ts'

type RecordsOptions = Pick<Deps, 'db' | 'replica' | 'publicUrl' | 'secrets' | 'monotonicNow'>

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers pages and items of the resources. */
    records: Records
  }
}

/** The resources that every customer has. */
export default fp<RecordsOptions>(
  (app, { db, replica, publicUrl, secrets, monotonicNow }, done) => {
    const { cache, today } = app
    const cursors = createCursorCodec(secrets)
    app.decorate('records', createRecords({ db, replica, cache, cursors, publicUrl, today, monotonicNow }))
    done()
  },
  { name: 'records', dependencies: ['cache', 'calendar'], fastify: '5.x' },
)
