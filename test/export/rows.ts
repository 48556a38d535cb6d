import type { Row, RowBatches } from '../../app/export/rows.ts'
import { fc } from '../random.ts'

/** Texts that PostgreSQL can store, often with characters that the formats escape. */
const nasty = fc.constantFrom(
  ...'"|""|,|;|\\|\\;|\\\\|\'|=|+|-|@|\t|\r|\n|\r\n|\v|\f|\b|\u0001|\u001f|\u007f|\u0085|\u2028|{|}'.split(
    '|',
  ),
  ...'_|_x|_x00|41|41_|_x0041_|&|<|]]>|&amp;|\ufffe|\uffff|\uf8ff|NULL|\\N|\\.| |é|漢|😀'.split('|'),
)
export const wildText = fc
  .array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 6 })
  .map((parts) => parts.join('').replaceAll('\0', ''))

/** In batches of two. */
export async function* inBatches(rows: readonly Row[]): RowBatches {
  for (let at = 0; at < rows.length; at += 2) yield rows.slice(at, at + 2)
}

export const collect = async (pieces: AsyncIterator<string | Buffer>): Promise<Buffer> => {
  const collected: Buffer[] = []
  for (let next = await pieces.next(); !next.done; next = await pieces.next())
    collected.push(Buffer.from(next.value))
  return Buffer.concat(collected)
}
