import { sql } from 'kysely'
import { instantText } from '../../db/instant.ts'
import type { Db } from '../../db/schema.ts'
import { writeLines } from '../../export/json-lines.ts'
import type { ExportSource } from '../../export/source.ts'
import type { Resource } from '../../records/resources/define.ts'
import { resources } from '../../records/resources/index.ts'
import type { Sql } from '../../records/sql/column.ts'
import { filterConditions } from '../../records/sql/conditions.ts'
import { projection } from '../../records/sql/projection.ts'
import { isOwned } from '../../records/sql/session.ts'
import { beginToken, type EpochRow, epochStatement, readEpoch, withBegunLog } from './epoch.ts'
import type { FeedRead } from './read.ts'
import type { DayAndWindow } from './token.ts'
import { planView } from './view.ts'

type SnapshotRead = Pick<FeedRead, 'customerId' | 'resources' | 'view'> & Readonly<{ bindings: DayAndWindow }>

const selectUpserts = (resource: Resource, { customerId, bindings, view }: SnapshotRead): Sql => {
  const wanted = planView(view, resource, customerId, bindings)
  const head = sql.lit(`{"op":"upsert","resource":"${resource.name}","id":`)
  return sql`select ${head} || to_json(r.id) || ',"at":"' || ${sql.raw(instantText('r.updated_at'))}
      || '","data":' || row_to_json(x) || '}'
    from (select ${customerId}::text as customer_id) s cross join ${sql.table(resource.name)} r
    cross join lateral (select ${projection(resource, wanted?.fields, bindings)}) x
    where ${sql.join([isOwned(resource), ...(wanted ? filterConditions(wanted) : [])], sql.raw(' and '))} order by r.id`
}

const begin = async (source: ExportSource, customerId: string) => {
  const session = await source.open<EpochRow>(customerId, epochStatement)
  try {
    return { session, epoch: readEpoch(session.first) }
  } catch (error) {
    void session.close()
    throw error
  }
}

/** Holds a connection until its stream ends. Rejects like `ExportSource.open`. Index: the primary keys. */
export const openSnapshot = async (db: Db, source: ExportSource, read: SnapshotRead) => {
  const { session, epoch } = await withBegunLog(db, () => begin(source, read.customerId))
  return {
    at: epoch.at,
    token: beginToken(epoch, read),
    /** NDJSON. Call it exactly once, because its end releases the connection. */
    stream: (onRows: (rows: number) => void) =>
      session.stream(
        read.resources.map((name) => selectUpserts(resources[name], read)),
        writeLines,
        onRows,
      ),
  }
}
