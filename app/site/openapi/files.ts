import { mediaTypes } from '../../http/formats.ts'
import type { SchemaNode } from './description.ts'

/** Returns a list's tables by their media type: CSV with an example, and XLSX, which has no text to show. */
export const tableFiles = (csvExample: string): Readonly<Record<string, SchemaNode>> => ({
  [mediaTypes.csv]: { schema: { type: 'string' }, example: csvExample },
  [mediaTypes.xlsx]: { schema: { type: 'string', format: 'binary' } },
})
