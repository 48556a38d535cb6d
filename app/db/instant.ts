import { type RawBuilder, sql } from 'kysely'

/** SQL of an instant as answers write it: RFC 3339 in UTC with six decimals, whatever the session's time zone is. */
export const instantText = (expression: string): string =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The same as part of a query. Null stays null. */
export const selectInstant = (expression: string): RawBuilder<string> =>
  sql.raw<string>(instantText(expression))
