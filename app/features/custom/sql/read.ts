import { type RawBuilder, sql } from 'kysely'
import { maxTotal } from '../../../../schemas/page.ts'
import type { Filled } from '../../../cache/entry.ts'
import { inTurn, type QueuedDb } from '../../../db/connect.ts'
import { instantText } from '../../../db/instant.ts'
import { type Stamp, stampColumns, toFilled, toFilledPage } from '../../../lists/answer.ts'
import type { OpenPage } from '../../../lists/lists.ts'
import type { QueryPlan } from '../../../records/query/plan.ts'
import { keysetCondition, sortKeys } from '../../../records/sql/conditions.ts'
import { selectRows } from '../../../records/sql/rows.ts'
import { session } from '../../../records/sql/session.ts'
import { describeView, type PageRow } from '../../../records/sql/statement.ts'
import type { BoundDocument } from '../bind.ts'
import type { List, Node } from '../definition.ts'
import { compileNode } from './object.ts'
import { shown } from './rows.ts'

/** The statement of an object, whose sources are subqueries and see one snapshot. */
export const objectStatement = (
  node: Node,
  bound: BoundDocument,
): RawBuilder<Stamp & { body: string }> => sql`
  select ${stampColumns}, answer.body
  from ${session(bound.customerId, bound.definition.needsSettings)}
  cross join lateral (select ${compileNode(node, bound)} as body) answer`

type ListRow = Stamp & Pick<PageRow, 'found' | 'last' | 'total' | 'is_cut'> & { data: string | null }

const keyText = (key: { column: string; cast: string }) =>
  sql.raw(key.cast === 'timestamptz' ? instantText(key.column) : `${key.column}::text`)

/** The statement of a page of a list. */
export const listStatement = (list: List, plan: QueryPlan, bound: BoundDocument): RawBuilder<ListRow> => {
  const keyset = keysetCondition(plan)
  const limit = maxTotal + 1
  const total = plan.count
    ? sql`(select count(*) from (${selectRows(plan, { isOrdered: false, limit })}) r)`
    : sql`null::bigint`
  const page = { more: keyset ? [keyset] : [], isOrdered: true, limit: plan.limit + 1 }
  return sql`
    select ${stampColumns}, page.*
    from ${session(bound.customerId, bound.definition.needsSettings)}
    cross join lateral (
      select
        string_agg(row_to_json(x)::text, ',' order by r."#") filter (where r."#" <= ${plan.limit}::integer) as data,
        count(*)::integer as found,
        (array_agg(array[${sql.join(sortKeys(plan).map(keyText))}])
          filter (where r."#" = ${plan.limit}::integer))[1:1] as last,
        ${total} as total,
        false as is_cut
      from (select row_number() over () as "#", r.*
        from (${selectRows(plan, page)}) r) r
      ${shown(list, plan, bound)}
    ) page`
}

const readRow = async <Row>(db: QueuedDb, bound: BoundDocument, statement: RawBuilder<Row>): Promise<Row> => {
  const { rows } = await inTurn(db, bound.customerId, () => statement.execute(db))
  return rows[0] as Row
}

/** Reads an object as the bytes to send. Indexes: as lists with the same conditions. */
export const readObject = async (db: QueuedDb, node: Node, bound: BoundDocument): Promise<Filled> => {
  const row = await readRow(db, bound, objectStatement(node, bound))
  return { ...toFilled(row, row.body, 1), definition: bound.definition.revision }
}

/** Reads a page of a list as the bytes to send. Indexes: as the list of its resource. */
export const readList = async (
  db: QueuedDb,
  bound: BoundDocument,
  list: List,
  { plan, page }: Readonly<{ plan: QueryPlan; page: OpenPage }>,
): Promise<Filled> => {
  const { dependsOnDay, revision } = bound.definition
  const row = await readRow(db, bound, listStatement(list, plan, bound))
  const data = `[${row.data ?? ''}]`
  const written = page.write(
    { data, found: row.found, last: row.last },
    describeView(row, plan, dependsOnDay),
  )
  return { ...toFilledPage(row, written), definition: revision }
}
