import { sql } from 'kysely'
import { repeat } from '../overload/repeat.ts'
import { after as afterMs } from '../overload/timer.ts'
import { selectInstant } from './instant.ts'
import type { Db } from './schema.ts'

/** `startedAt`: the last start with this origin, RFC 3339. */
export type ServiceOrigin = Readonly<{ origin: string; startedAt: string }>

/** Lists the origins with which the service has started, the newest start first. `db` is the operator's. */
export const listServiceOrigins = async (db: Db): Promise<ServiceOrigin[]> => {
  const { rows } = await sql<ServiceOrigin>`
    select origin, ${selectInstant('started_at')} as "startedAt" from service_origins
    order by started_at desc, origin`.execute(db)
  return rows
}

type OriginReport = {
  /** The serving role's. */
  db: Db
  publicUrl: string
  warn: (message: string, error: Error) => void
  after?: typeof afterMs
}

const retryMs = 60_000

/**
 * Writes the public origin of a starting instance into the database, for the links of commands. Tries each minute until it
 * succeeds, and warns once. Returns a function that stops it and waits. See
 * docs/decisions/0264-the-service-reports-its-origin.md.
 */
export const startOriginReport = ({
  db,
  publicUrl,
  warn,
  after = afterMs,
}: OriginReport): (() => Promise<void>) => {
  let isReported = false
  return repeat({
    async work() {
      if (isReported) return
      await sql`select report_service_origin(${publicUrl})`.execute(db)
      isReported = true
    },
    everyMs: retryMs,
    after,
    onFailure: (error) =>
      warn('the public origin was not stored: links of commands may have another one', error),
  })
}
