import { type RawBuilder, sql } from 'kysely'
import { selectInstant } from '../../db/instant.ts'
import type { Db } from '../../db/schema.ts'

/** `text` is JSON, whose members are in the order of responses. */
type StoredDocument = { name: string; revision: number; text: string }

/** `conflict`: other content whose revision is not above the current one. */
export type Applied =
  | { outcome: 'applied'; previous: number | null }
  | { outcome: 'unchanged' }
  | { outcome: 'conflict'; current: number }

const findCurrent = (trx: Db, name: string): Promise<{ revision: number; document: string } | undefined> =>
  trx
    .selectFrom('custom_documents')
    .select(['revision', 'document'])
    .where('name', '=', name)
    .where('superseded_at', 'is', null)
    .executeTakeFirst()

/** Makes a document the current revision, in a transaction. Deletes revisions replaced over 31 days ago. */
export const applyDocument = async (trx: Db, { name, revision, text }: StoredDocument): Promise<Applied> => {
  await trx
    .insertInto('custom_endpoints')
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await trx.selectFrom('custom_endpoints').select('name').where('name', '=', name).forUpdate().execute()
  const current = await findCurrent(trx, name)
  if (current?.document === text) return { outcome: 'unchanged' }
  if (current && revision <= current.revision) return { outcome: 'conflict', current: current.revision }
  await sql`update custom_documents set superseded_at = now()
    where name = ${name} and superseded_at is null`.execute(trx)
  await sql`delete from custom_documents
    where name = ${name} and superseded_at < now() - interval '31 days'`.execute(trx)
  await trx.insertInto('custom_documents').values({ name, revision, document: text }).execute()
  return { outcome: 'applied', previous: current?.revision ?? null }
}

const change = async (db: Db, statement: RawBuilder<unknown>): Promise<true | undefined> =>
  (await statement.execute(db)).numAffectedRows ? true : undefined

/** Grants an endpoint to a customer, or revokes it. `undefined` if nothing changed. */
export const setGrant = (db: Db, name: string, customerId: string, granted: boolean) =>
  change(
    db,
    sql`insert into custom_grants as g (customer_id, name, granted) values (${customerId}, ${name}, ${granted})
      on conflict (customer_id, name) do update set granted = excluded.granted, changed_at = now()
        where g.granted is distinct from excluded.granted`,
  )

/** Sets the grant for customers without an individual one. `undefined` if nothing changed. */
export const setGrantToEveryone = (db: Db, name: string, granted: boolean) =>
  change(
    db,
    sql`update custom_endpoints set to_everyone = ${granted} where name = ${name} and to_everyone <> ${granted}`,
  )

/** Deletes an endpoint with its documents and grants. `undefined` if it does not exist. */
export const removeEndpoint = (db: Db, name: string) =>
  change(db, sql`delete from custom_endpoints where name = ${name}`)

export type CustomEndpoint = {
  name: string
  revision: number
  title: string | null
  applied_at: string
  /** Granted to every customer except `revoked`. */
  everyone: boolean
  granted: string[]
  revoked: string[]
}

/** Lists the endpoints with their grants, or only the endpoint `name`. */
export const listEndpoints = async (db: Db, name?: string): Promise<CustomEndpoint[]> => {
  const slugs = (granted: boolean) => sql`coalesce((select array_agg(g.customer_id order by g.customer_id)
    from custom_grants g where g.name = e.name and g.granted = ${granted}), '{}')`
  const { rows } = await sql<CustomEndpoint>`
    select e.name, d.revision, d.document::json ->> 'title' as title, ${selectInstant('d.applied_at')} as applied_at,
      e.to_everyone as everyone, ${slugs(true)} as granted, ${slugs(false)} as revoked
    from custom_endpoints e join custom_documents d on d.name = e.name and d.superseded_at is null
    ${name === undefined ? sql`` : sql`where e.name = ${name}`} order by e.name`.execute(db)
  return rows
}
