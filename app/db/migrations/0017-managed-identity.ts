import { type Kysely, sql } from 'kysely'
import { changeIdentity } from './change-identity.ts'

/** Lets a database that managed hosting has taken over name its history without functions that are denied there. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql.raw(changeIdentity).execute(db)
}
