import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Db } from '../../db/schema.ts'
import { importRecords } from '../../import/index.ts'

const name = 'countries'
const file = new URL(`${name}.ndjson`, import.meta.url)

const findDigest = async (db: Db): Promise<string | undefined> => {
  const row = await db
    .selectFrom('reference_data')
    .select('digest')
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.digest
}

/**
 * Loads the countries of this release, unless they are already loaded, and returns whether it did. Facts that the
 * operator has imported since then stay until a release brings other countries. Calling it again is safe. Throws if
 * a line is bad, which is a fault of the release.
 */
export const loadReferenceData = async (db: Db): Promise<boolean> => {
  const content = await readFile(file)
  const digest = createHash('sha256').update(content).digest('hex')
  if ((await findDigest(db)) === digest) return false
  const { badLines } = await importRecords(db, ReadableStream.from([content]))
  const [bad] = badLines
  if (bad) throw new Error(`${name}.ndjson, line ${bad.line}: ${bad.reason}`)
  await db
    .insertInto('reference_data')
    .values({ name, digest })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ digest, loaded_at: new Date().toISOString() }),
    )
    .execute()
  return true
}
