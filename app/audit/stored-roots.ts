import { sql } from 'kysely'
import { selectInstant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'

const pageSize = 20

export type RootRow = Readonly<{
  rootNo: number
  at: string
  kid: string
  firstSeal: number
  lastSeal: number
  leaves: Buffer
  statement: string
}>
/** A seal with the proof in the customer's copy of its entry. */
export type SealRow = Readonly<{
  rootNo: number
  mac: Buffer
  leaf: Buffer | null
  copyRoot: number | null
  copyIndex: number | null
  copyPath: Buffer | null
  isCopied: boolean
}>

const readPage = async (db: Db, after: number): Promise<RootRow[]> => {
  const { rows } = await sql<RootRow>`
    select root_no as "rootNo", ${selectInstant('at')} as at, kid, first_seal as "firstSeal",
      last_seal as "lastSeal", leaves, statement
    from audit_roots where root_no > ${after} order by root_no limit ${pageSize}`.execute(db)
  return rows
}

const readSeals = async (db: Db, first: number, last: number): Promise<SealRow[]> => {
  const { rows } = await sql<SealRow>`
    select r.root_no as "rootNo", s.mac, s.leaf, c.root_no as "copyRoot", c.leaf_index as "copyIndex",
      c.path as "copyPath", c.entry_id is not null as "isCopied"
    from audit_roots r
    join audit_seals s on s.seal_no between r.first_seal and r.last_seal
    left join audit_copies c on c.entry_id = s.entry_id
    where r.root_no between ${first} and ${last} order by s.seal_no`.execute(db)
  return rows
}

/** Reads the stored roots in pages, each with its seals, both oldest first. */
export async function* readRoots(db: Db): AsyncGenerator<{ root: RootRow; seals: readonly SealRow[] }> {
  for (let page = await readPage(db, 0); page.length > 0; ) {
    const [first, last] = [page[0] as RootRow, page.at(-1) as RootRow]
    const seals = Map.groupBy(await readSeals(db, first.rootNo, last.rootNo), ({ rootNo }) => rootNo)
    for (const root of page) yield { root, seals: seals.get(root.rootNo) ?? [] }
    page = await readPage(db, last.rootNo)
  }
}
