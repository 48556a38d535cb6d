import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Db } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { checkDocument } from './check.ts'
import { readText } from './read.ts'
import { applyDocument, setGrant, setGrantToEveryone } from './store.ts'

/** What ships, and to whom it is granted when it first comes. */
const shipped = [
  { name: 'dashboard-overview', to: 'everyone' },
  { name: 'market-access', to: 'demo' },
] as const

const fileOf = (name: string) => new URL(`shipped/${name}.yaml`, import.meta.url)

const install = async (
  trx: Db,
  { name, to }: (typeof shipped)[number],
  content: string,
): Promise<boolean> => {
  const mark = `custom/${name}`
  const digest = createHash('sha256').update(content).digest('hex')
  const known = await trx
    .selectFrom('reference_data')
    .select('digest')
    .where('name', '=', mark)
    .executeTakeFirst()
  if (known?.digest === digest) return false
  const document = readText(content)
  const { revision } = checkDocument(document)
  const { outcome } = await applyDocument(trx, { name, revision, text: JSON.stringify(document) })
  if (!known && to === 'everyone') await setGrantToEveryone(trx, name, true)
  if (!known && to === 'demo') await setGrant(trx, name, demoCustomerId, true)
  await trx
    .insertInto('reference_data')
    .values({ name: mark, digest })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ digest, loaded_at: new Date().toISOString() }),
    )
    .execute()
  return outcome === 'applied'
}

/**
 * Installs the custom endpoints that ship with this release, where they are not those that came last. What the
 * operator has made of one stays: a later revision of his own, grants and revocations, a removal until a release
 * brings another one. Repeating it is safe. `db` must act as the owner; the demo customer must be there. Returns
 * the names that were applied. Throws where a document is bad: a fault of the release.
 */
export const installShipped = async (db: Db): Promise<string[]> => {
  const applied: string[] = []
  for (const each of shipped) {
    const content = await readFile(fileOf(each.name), 'utf8')
    if (await inTransaction(db, (trx) => install(trx, each, content))) applied.push(each.name)
  }
  return applied
}
