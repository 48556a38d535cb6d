import { readFile } from 'node:fs/promises'
import type { Db } from '../../db/schema.ts'
import { importRecords } from '../../import/index.ts'
import { loadOnce } from '../load-once.ts'

const name = 'countries'
/** A country a line, as the import reads it. */
export const referenceFile = new URL(`${name}.ndjson`, import.meta.url)

/** Loads each version of the countries' file once: later imports of the operator stay. True if it did. */
export const loadReferenceData = async (db: Db): Promise<boolean> => {
  const content = await readFile(referenceFile, 'utf8')
  return loadOnce(db, name, content, async () => {
    const { badLines } = await importRecords(db, ReadableStream.from([Buffer.from(content)]))
    const [bad] = badLines
    if (bad) throw new Error(`${name}.ndjson, line ${bad.line}: ${bad.reason}`)
  })
}
