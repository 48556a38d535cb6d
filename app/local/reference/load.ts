import { readFile } from 'node:fs/promises'
import type { Db } from '../../db/schema.ts'
import { importRecords } from '../../import/index.ts'
import { loadOnce } from '../load-once.ts'

const name = 'countries'
const file = new URL(`${name}.ndjson`, import.meta.url)

/**
 * Loads the countries of this release unless they are already loaded. Returns true if it did. Data imported
 * by the operator since then stay until a release changes the countries. Idempotent. Rejects if a line is
 * bad, which is a fault of the release.
 */
export const loadReferenceData = async (db: Db): Promise<boolean> => {
  const content = await readFile(file, 'utf8')
  return loadOnce(db, name, content, async () => {
    const { badLines } = await importRecords(db, ReadableStream.from([Buffer.from(content)]))
    const [bad] = badLines
    if (bad) throw new Error(`${name}.ndjson, line ${bad.line}: ${bad.reason}`)
  })
}
