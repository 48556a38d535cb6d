import fc from 'fast-check'
import { slackBytes } from '../../app/wire/place.ts'
import type { RowEncoder } from '../../app/wire/row.ts'

/** Rows as PostgreSQL's `COPY` sends them. */

/** What a text may be in the tables: anything but U+0000 and lone surrogates. The nasty ones come often. */
const nasty = fc.constantFrom(
  ...[
    '"',
    '""',
    ',',
    ';',
    '\\',
    '\\;',
    '\\\\',
    "'",
    '=',
    '+',
    '-',
    '@',
    '\t',
    '\r',
    '\n',
    '\r\n',
    '\v',
    '\f',
  ],
  ...[
    '\b',
    '\u0001',
    '\u001f',
    '\u007f',
    '\u0085',
    '\u2028',
    '{',
    '}',
    ...['_', '_x', '_x00', '41', '41_', '_x0041_', '&', '<', ']]>', '&amp;', '\ufffe', '\uffff', '\uf8ff'],
    'NULL',
    '\\N',
    '\\.',
    ' ',
    'é',
    '漢',
    '😀',
  ],
)
/** Texts of any kind. */
export const wildText = fc
  .array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 6 })
  .map((parts) => parts.join('').replaceAll('\0', ''))
/** PostgreSQL's manual, COPY, "Text Format". */
const escapes: Record<string, string> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\v': 'v',
  '\\': '\\',
}
/** A cell as `COPY` writes it; null: `\\N`. */
export const toCell = (text: string | null) =>
  text === null ? '\\N' : text.replace(/[\b\f\n\r\t\v\\]/g, (byte) => `\\${escapes[byte]}`)
/** Its manual, "Array Input and Output Syntax": every element quoted, which it allows. */
export const toArray = (list: readonly string[]) =>
  `{${list.map((each) => `"${each.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
const viewOf = ({ buffer, byteOffset, byteLength }: Buffer) => new DataView(buffer, byteOffset, byteLength)

/** What an encoder makes of rows. Throws where it writes more than it promised, or leaves some of a row. */
export const writeRows = (encoder: RowEncoder, rows: readonly Buffer[]): string =>
  rows
    .map((row) => {
      const bytes = Buffer.concat([row, Buffer.alloc(slackBytes, '"')])
      const from = { view: viewOf(bytes), at: 0 }
      const bound = encoder.bound(row.length)
      const out = Buffer.alloc(bound + 1, 0xff)
      const to = { view: viewOf(out), at: 0 }
      encoder.write(from, to)
      if (from.at !== row.length) throw new Error(`read to ${from.at} of ${row.length}`)
      if (to.at > bound || out[bound] !== 0xff)
        throw new Error(`${to.at} bytes, where ${bound} were promised`)
      return out.toString('utf8', 0, to.at)
    })
    .join('')
