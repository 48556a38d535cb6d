import fp from 'fastify-plugin'
import { createCalendar } from '../app/records/calendar.ts'
import type { Deps } from './deps.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The UTC date by the database's clock, YYYY-MM-DD. */
    today(): string
  }
}

/** The day of the service, by the database's clock: all instances have the same one. */
export default fp<Pick<Deps, 'databaseNow'>>(
  (app, { databaseNow }, done) => {
    app.decorate('today', createCalendar(databaseNow))
    done()
  },
  { name: 'calendar', fastify: '5.x' },
)
