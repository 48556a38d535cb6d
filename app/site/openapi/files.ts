import { mediaTypes } from '../../http/formats.ts'
import type { SchemaNode } from './description.ts'

/** Returns a list's files by media type: CSV with an example, and XLSX, which is binary. */
export const tableFiles = (csvExample: string): Readonly<Record<string, SchemaNode>> => ({
  [mediaTypes.csv]: { schema: { type: 'string' }, example: csvExample },
  [mediaTypes.xlsx]: { schema: { type: 'string', format: 'binary' } },
})
