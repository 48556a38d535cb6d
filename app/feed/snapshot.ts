import { type ControlledTransaction, sql } from 'kysely'
import { instantText } from '../db/page/projection.ts'
import type { Database, Db } from '../db/schema.ts'
import type { ResourceName } from '../resources/define.ts'
import { resources } from '../resources/index.ts'
import { changeText, ownRows, recordData } from './change.ts'
import { type EpochRow, epochColumns, readEpoch, toSeconds, withBegunLog } from './epoch.ts'
import type { Moment, SyncToken } from './token.ts'

export type SnapshotRead = Readonly<{
  customerId: string
  resources: readonly ResourceName[]
  /** What computed fields are for. */
  bindings: Moment
}>

/** The whole state, a piece at a time. One caller, who closes it whatever happens. */
export type OpenSnapshot = {
  /** To follow on from. */
  readonly token: SyncToken
  /** Every commit before it is in the state; RFC 3339. */
  readonly at: string
  /** Some lines of NDJSON, each with its newline; undefined at the end. */
  next(): Promise<string | undefined>
  /** Gives the connection back, after the statement that is running; again: nothing. */
  close(): Promise<void>
}

/** Records that one statement reads: what a disconnected client keeps running, and what memory holds. */
const pieceRecords = 200

type Transaction = ControlledTransaction<Database>
type Piece = { lines: string | null; last: string | null; found: number }

const readPiece = async (
  transaction: Transaction,
  name: ResourceName,
  { customerId, bindings }: SnapshotRead,
  after: string,
): Promise<Piece> => {
  const resource = resources[name]
  const line = changeText({
    resource: sql.lit(name),
    id: sql`r.id`,
    at: sql.raw(instantText('r.updated_at')),
    data: sql`x.data`,
  })
  const { rows } = await sql<Piece>`
    select string_agg(${line} || e'\n', '' order by r.id) as lines, max(r.id) as last, count(*)::integer as found
    from (select ${customerId}::text as customer_id) s cross join lateral (
      select r.* from ${sql.table(name)} r where ${ownRows(resource)} and r.id > ${after}::text
      order by r.id limit ${pieceRecords}::integer
    ) r cross join ${recordData(resource, bindings)}`.execute(transaction)
  return rows[0] as Piece
}

const begin = async (db: Db, read: SnapshotRead): Promise<[Transaction, EpochRow]> => {
  const transaction = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
  try {
    // The first statement takes the snapshot that all others read from.
    const { rows } = await sql<EpochRow>`
      select ${epochColumns}, set_config('app.customer_id', ${read.customerId}, true) from change_epoch() epoch`.execute(
      transaction,
    )
    readEpoch(rows[0] as EpochRow)
    return [transaction, rows[0] as EpochRow]
  } catch (error) {
    await transaction.rollback().execute()
    throw error
  }
}

/**
 * Everything that the customer has of these resources, from one snapshot: the records by resource and id. Holds
 * a connection until it is closed. Index: the tables' primary keys.
 */
export const openSnapshot = async (db: Db, read: SnapshotRead): Promise<OpenSnapshot> => {
  const [transaction, row] = await withBegunLog(db, () => begin(db, read))
  const { snapshot, at, identity } = readEpoch(row)
  const { day, window } = read.bindings
  const ahead = [...read.resources]
  let after = ''
  let closing: Promise<void> | undefined

  return {
    at,
    token: {
      ...{ identity, issuedAt: toSeconds(at), resources: read.resources, base: snapshot },
      moment: { day, window },
      flip: undefined,
      diff: undefined,
    },
    async next() {
      for (;;) {
        const [name] = ahead
        if (name === undefined) return undefined
        const { lines, last, found } = await readPiece(transaction, name, read, after)
        after = last ?? ''
        if (found < pieceRecords) {
          ahead.shift()
          after = ''
        }
        if (lines !== null) return lines
      }
    },
    close() {
      closing ??= transaction.rollback().execute()
      return closing
    },
  }
}
