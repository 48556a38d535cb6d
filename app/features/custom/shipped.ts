import { readFile } from 'node:fs/promises'
import type { Db } from '../../db/schema.ts'
import { inTransaction } from '../../db/transaction.ts'
import { demoCustomerId } from '../../identity/principal.ts'
import { loadOnce } from '../../local/load-once.ts'
import { checkDocument } from './check.ts'
import { readText } from './read.ts'
import { applyDocument, setGrant, setGrantToEveryone } from './store.ts'

const shipped = [
  { name: 'dashboard-overview', to: 'everyone' },
  { name: 'market-access', to: 'demo' },
] as const

const install = async (trx: Db, { name, to }: (typeof shipped)[number]): Promise<boolean> => {
  const content = await readFile(new URL(`./shipped/${name}.yaml`, import.meta.url), 'utf8')
  let isApplied = false
  await loadOnce(trx, `custom/${name}`, content, async (isFirst) => {
    const document = readText(content)
    const { revision } = checkDocument(document)
    const { outcome } = await applyDocument(trx, { name, revision, text: JSON.stringify(document) })
    isApplied = outcome === 'applied'
    if (isFirst && to === 'everyone') await setGrantToEveryone(trx, name, true)
    if (isFirst && to === 'demo') await setGrant(trx, name, demoCustomerId, true)
  })
  return isApplied
}

/**
 * Applies new and changed custom endpoints of this release, and returns the names of the applied ones.
 * Grants only new ones. A stored document of the same or a higher revision stays. Needs the demo customer.
 */
export const loadData = async (db: Db): Promise<string[]> => {
  const applied: string[] = []
  for (const each of shipped) {
    if (await inTransaction(db, (trx) => install(trx, each))) applied.push(each.name)
  }
  return applied
}
