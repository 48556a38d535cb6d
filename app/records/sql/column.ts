import type { RawBuilder } from 'kysely'

/** A part of a statement. */
export type Sql = RawBuilder<unknown>

/**
 * What a column's values are, which decides how they are written: `text` may say anything; `token` is a text that
 * needs no escape anywhere, as known values are; `date` is a date, and such a text; `number` may have a fraction;
 * `instant` is a timestamptz; `texts` an array of texts; `json` is JSON already.
 */
export type ColumnKind =
  | 'text'
  | 'token'
  | 'date'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'instant'
  | 'texts'
  | 'json'

/** A column of an export: its name, and the expression that PostgreSQL computes. */
export type ExportColumn = Readonly<{ name: string; kind: ColumnKind; value: Sql }>
