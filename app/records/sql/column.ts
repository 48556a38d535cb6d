import type { RawBuilder } from 'kysely'

/** A part of a statement. */
export type Sql = RawBuilder<unknown>

/** What a column's values are. It decides how they are written. */
export type ColumnKind =
  /** Any text. */
  | 'text'
  /** A known value: a text that needs no escape anywhere. */
  | 'token'
  /** A date, which needs no escape either. */
  | 'date'
  | 'integer'
  /** A number that may have a fraction. */
  | 'number'
  | 'boolean'
  /** A timestamptz. */
  | 'instant'
  /** An array of texts. */
  | 'texts'
  /** JSON already. */
  | 'json'

/** A column of an export: its name, and the expression that PostgreSQL computes. */
export type ExportColumn = Readonly<{ name: string; kind: ColumnKind; value: Sql }>
