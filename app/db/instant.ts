import { type RawBuilder, sql } from 'kysely'

/** Returns SQL that formats an instant as RFC 3339 in UTC, with six decimals. */
export const instantText = (expression: string): string =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** `instantText` as part of a query. */
export const selectInstant = (expression: string): RawBuilder<string> =>
  sql.raw<string>(instantText(expression))
