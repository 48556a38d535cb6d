import type { Filled } from '../../cache/entry.ts'
import { inTurn, type QueuedDb } from '../../db/connect.ts'
import type { QueryPlan } from '../../records/query/plan.ts'
import { describePage, type EncodeCursor, filled } from '../../records/sql/read.ts'
import type { BoundDocument } from '../bind.ts'
import type { List, Node } from '../definition.ts'
import { type ListRow, listStatement, objectStatement } from './statement.ts'

/** Reads an object as the bytes to send. Indexes: as lists with the same conditions. */
export const readObject = async (db: QueuedDb, node: Node, bound: BoundDocument): Promise<Filled> => {
  const { rows } = await inTurn(db, bound.customerId, () => objectStatement(node, bound).execute(db))
  const [row] = rows
  if (!row) throw new Error('a custom endpoint returned no row')
  return { ...filled(row, row.body, 1), definition: bound.definition.revision }
}

/** Reads a page of a list as the bytes to send. Indexes: as the list of its resource. */
export const readList = async (
  db: QueuedDb,
  list: List,
  plan: QueryPlan,
  bound: BoundDocument,
  encodeCursor: EncodeCursor,
  nextTarget: (cursor: string) => string,
): Promise<Filled> => {
  const { rows } = await inTurn(db, plan.customerId, () => listStatement(list, plan, bound).execute(db))
  const row = rows[0] as ListRow
  const { page, cursor } = describePage(row, plan, bound.definition.dependsOnDay, encodeCursor)
  const json = `{"data":[${row.data ?? ''}],"page":${JSON.stringify(page)}}`
  const answer = {
    ...filled(row, json, Math.min(row.found, plan.limit)),
    definition: bound.definition.revision,
  }
  return cursor === undefined ? answer : { ...answer, next: nextTarget(cursor) }
}
