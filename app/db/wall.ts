import type { ClientBase } from 'pg'
import { ApiError, unavailable } from '../errors.ts'
import { readerRole } from './roles.ts'

/**
 * A connection on which the database would not keep customers apart, or end long statements. `message` says what to
 * set. Requests that meet it get 503 `unavailable`, and the process ends.
 */
export class UnfitConnection extends ApiError {
  constructor(reason: string, cause?: unknown) {
    super('unavailable', unavailable().extras)
    this.message = reason
    this.cause = cause
  }
}

/** What a serving connection must be. */
export type Wall = {
  /** The configuration variable that names the server. */
  variable: string
  /** Milliseconds that a statement may run at most; absent: whoever runs statements sets it in each transaction. */
  statementTimeoutMs?: number | undefined
}

/** All tables of customers are under forced row level security, for this role. Null: there are no tables yet. */
const identityQuery = `
  select current_user as role,
    (select setting::integer from pg_settings where name = 'statement_timeout') as "timeoutMs",
    (select bool_and(row_security_active(c.oid) and c.relforcerowsecurity) from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and has_table_privilege(c.oid, 'select')
        and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'customer_id')
    ) as walled`

type Identity = { role: string; timeoutMs: number; walled: boolean | null }

const setTimeoutOf = (ms: number) => `alter role ${readerRole} set statement_timeout = ${ms}`

const findFault = ({ role, timeoutMs, walled }: Identity, wall: Wall): string | undefined => {
  if (role !== readerRole) {
    return `connections serve as ${role}, not as ${readerRole}, because a pooler drops the start-up options: let ${wall.variable} log in as ${readerRole}`
  }
  if (walled === false) {
    return `row level security does not bind ${readerRole}: run \`npx certdata migrate\`, and \`alter role ${readerRole} nosuperuser nobypassrls\``
  }
  const most = wall.statementTimeoutMs
  if (most !== undefined && (timeoutMs === 0 || timeoutMs > most)) {
    return `statement_timeout is ${timeoutMs} ms, because a pooler drops it at the start: run \`${setTimeoutOf(most)}\``
  }
  return undefined
}

/**
 * Asks a new connection who it is. Throws UnfitConnection unless it is the reader, under forced row level security and
 * with the statement timeout. Rejects as the driver does if the connection is lost.
 */
export const requireWall = async (client: ClientBase, wall: Wall, answerTimeoutMs: number): Promise<void> => {
  const query = { text: identityQuery, query_timeout: answerTimeoutMs }
  const { rows } = await client.query<Identity>(query)
  const fault = findFault(rows[0] as Identity, wall)
  if (fault !== undefined) throw new UnfitConnection(`${wall.variable}: ${fault}`)
}

/** pgbouncer's words. */
const refusedParameter = /unsupported startup parameter(?: in options)?: (\S+)/

/** The same error, or an UnfitConnection where a pooler refuses what a serving connection says at its start. */
export const explainRefusal = (error: Error, wall: Wall): Error => {
  const [, parameter] = refusedParameter.exec(error.message) ?? []
  if (parameter === undefined) return error
  const timeout =
    wall.statementTimeoutMs === undefined ? '' : `, and run \`${setTimeoutOf(wall.statementTimeoutMs)}\``
  return new UnfitConnection(
    `${wall.variable}: the pooler refuses the start-up parameter ${parameter}: set its ignore_startup_parameters to "extra_float_digits, options, statement_timeout", log in as ${readerRole}${timeout}`,
    error,
  )
}
