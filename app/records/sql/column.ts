import type { RawBuilder } from 'kysely'

export type Sql = RawBuilder<unknown>

export type ColumnKind =
  | 'text'
  /** A text that needs no escape in any format. */
  | 'token'
  | 'date'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'instant'
  | 'texts'
  | 'json'
  /** JSON of periods: `{from, until, basis}`. */
  | 'periods'

export type ExportColumn = Readonly<{ name: string; kind: ColumnKind; value: Sql }>
