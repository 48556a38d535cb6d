import fp from 'fastify-plugin'
import type { Deps } from './deps.ts'

declare module 'fastify' {
  interface FastifyInstance {
    today(): string
  }
}

const dayMs = 86_400_000

const createCalendar = (now: () => number): (() => string) => {
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

/** By the database's clock, so that all instances agree. */
export default fp<Pick<Deps, 'databaseNow'>>(
  (app, { databaseNow }, done) => {
    app.decorate('today', createCalendar(databaseNow))
    done()
  },
  { name: 'calendar', fastify: '5.x' },
)
