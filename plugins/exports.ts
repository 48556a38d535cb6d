import fp from 'fastify-plugin'
import { type CustomExports, createCustomExports } from '../app/custom/exports.ts'
import { createExports, type Exports } from '../app/export/exports.ts'
import { createRecordExports, type RecordExports } from '../app/export/records.ts'
import type { Deps } from './deps.ts'

declare module 'fastify' {
  interface FastifyInstance {
    exports: Readonly<{ records: RecordExports; custom: CustomExports; rows: Exports }>
  }
}

/** Exports lists of resources and custom endpoints as streams. Limits concurrent exports per customer. */
export default fp<Pick<Deps, 'db' | 'exportSource'>>(
  (app, { db, exportSource: source }, done) => {
    const { custom, today } = app
    const exports = createExports({ db, source, concurrency: app.limits.concurrency, today })
    app.decorate('exports', {
      records: createRecordExports({ exports, today }),
      custom: createCustomExports({ exports, custom, today }),
      rows: exports,
    })
    done()
  },
  { name: 'exports', dependencies: ['calendar', 'custom', 'quotas'], fastify: '5.x' },
)
