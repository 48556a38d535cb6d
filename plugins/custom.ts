import fp from 'fastify-plugin'
import { type Custom, createCustom } from '../app/custom/custom.ts'
import { createGranted } from '../app/custom/granted.ts'
import { createCursorCodec } from '../app/records/query/cursor.ts'
import type { Deps } from './deps.ts'

type CustomOptions = Pick<
  Deps,
  'db' | 'replica' | 'judge' | 'publicUrl' | 'secrets' | 'databaseNow' | 'now' | 'monotonicNow'
>

declare module 'fastify' {
  interface FastifyInstance {
    custom: Custom
  }
}

/** The custom endpoints, which are granted to individual customers. */
export default fp<CustomOptions>(
  (app, { db, replica, judge, publicUrl, secrets, databaseNow, now, monotonicNow }, done) => {
    const { cache, today } = app
    const custom = createCustom({
      ...{ db, replica, cache, publicUrl, today, databaseNow },
      cursors: createCursorCodec(secrets),
      granted: createGranted({ db, judge, now, monotonicNow }),
    })
    app.decorate('custom', custom)
    done()
  },
  { name: 'custom', dependencies: ['cache', 'calendar'], fastify: '5.x' },
)
