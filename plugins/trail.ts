import fp from 'fastify-plugin'
import { createTrail, type Trail } from '../app/operator/trail/trail.ts'
import { createCursorCodec } from '../app/records/query/cursor.ts'
import type { Deps } from './deps.ts'

declare module 'fastify' {
  interface FastifyInstance {
    trail: Trail
  }
}

/** Serves the audit trail to customers: each reads its own part. */
export default fp<Pick<Deps, 'db' | 'publicUrl' | 'secrets'>>(
  (app, { db, publicUrl, secrets }, done) => {
    const { today, exports } = app
    const cursors = createCursorCodec(secrets)
    app.decorate('trail', createTrail({ db, exports: exports.rows, cursors, publicUrl, today }))
    done()
  },
  { name: 'trail', dependencies: ['calendar', 'exports'], fastify: '5.x' },
)
