import type { ClientBase, QueryConfig } from 'pg'
import { ApiError, unavailable } from '../errors.ts'
import { readerRole } from './roles.ts'
import { listUnpinned, pinSettings } from './session.ts'

/** An unusable connection. `message` names the remedy. If it was to serve: 503, and the process ends. */
export class UnfitConnection extends ApiError {
  constructor(reason: string, cause?: unknown) {
    super('unavailable', unavailable().extras)
    this.message = reason
    this.cause = cause
  }
}

export type Serving = {
  variable: string
  /** Maximum. `undefined` for exports, which set it in each transaction. */
  statementTimeoutMs?: number | undefined
}

const sessionColumns = `current_user as role, current_database() as database,
    current_setting('server_encoding') as encoding, ${listUnpinned} as unpinned`

const servingColumns = `
    (select setting::integer from pg_settings where name = 'statement_timeout') as "timeoutMs",
    (select bool_and(row_security_active(c.oid) and c.relforcerowsecurity) from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and has_table_privilege(c.oid, 'select')
        and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'customer_id')
    ) as "isSecured"`

type Session = { role: string; database: string; encoding: string; unpinned: string[] }
type ServingSession = { timeoutMs: number; isSecured: boolean | null }

const formatTimeoutStatement = (ms: number) => `alter role ${readerRole} set statement_timeout = ${ms}`

const findSessionFault = (session: Session, role: string | undefined, variable: string) => {
  if (session.encoding !== 'UTF8') {
    return `the encoding of the database ${session.database} is ${session.encoding}, and must be UTF8: create one with \`create database certdata encoding 'UTF8' template template0\``
  }
  if (role === undefined) return undefined
  if (session.role !== role) {
    return `connections act as ${session.role}, not as ${role}, because a pooler drops the start-up options: let ${variable} log in as ${role}`
  }
  if (session.unpinned.length > 0) {
    return `a pooler drops the settings ${session.unpinned.join(', ')}: run \`npx --no certdata migrate\` with a login that may alter the role ${role}`
  }
  return undefined
}

const findServingFault = ({ timeoutMs, isSecured }: ServingSession, serving: Serving) => {
  if (isSecured === false) {
    return `row level security does not bind ${readerRole}: run \`npx --no certdata migrate\`, and \`alter role ${readerRole} nosuperuser nobypassrls\``
  }
  const most = serving.statementTimeoutMs
  if (most !== undefined && (timeoutMs === 0 || timeoutMs > most)) {
    return `statement_timeout is ${timeoutMs} ms, because a pooler drops it at the start: run \`${formatTimeoutStatement(most)}\``
  }
  return undefined
}

/**
 * Rejects with UnfitConnection if the database is not UTF8, if a pooler dropped the role or settings, or if a
 * serving session has no row level security or too long a timeout. Pins the settings if there is no role.
 */
export const checkSession = async (
  client: ClientBase,
  { role, serving }: { role?: string | undefined; serving?: Serving | undefined },
  answerTimeoutMs: number,
): Promise<void> => {
  const text = `select ${sessionColumns}${serving ? `, ${servingColumns}` : ''}`
  const { rows } = await client.query<Session & ServingSession>({
    text,
    query_timeout: answerTimeoutMs,
  } as QueryConfig)
  const [session] = rows as [Session & ServingSession]
  const variable = serving?.variable ?? 'DATABASE_ADMIN_URL'
  const fault =
    findSessionFault(session, serving ? readerRole : role, variable) ??
    (serving && findServingFault(session, serving))
  if (fault !== undefined) throw new UnfitConnection(`${variable}: ${fault}`)
  if (session.unpinned.length > 0) await client.query(pinSettings)
}

const refusedParameter = /unsupported startup parameter(?: in options)?: (\S+)/

/** Returns an UnfitConnection if a pooler refused a start-up parameter, and other errors unchanged. */
export const explainRefusal = (error: Error, serving: Serving): Error => {
  const [, parameter] = refusedParameter.exec(error.message) ?? []
  if (parameter === undefined) return error
  const timeout =
    serving.statementTimeoutMs === undefined
      ? ''
      : `, and run \`${formatTimeoutStatement(serving.statementTimeoutMs)}\``
  return new UnfitConnection(
    `${serving.variable}: the pooler refuses the start-up parameter ${parameter}: set its ignore_startup_parameters to "extra_float_digits, options, statement_timeout", log in as ${readerRole}${timeout}`,
    error,
  )
}
