import { createHash } from 'node:crypto'
import type { Db } from '../db/schema.ts'

/** Runs `load` unless `name` was last loaded with this content. True if it ran. `isFirst`: never loaded. */
export const loadOnce = async (
  db: Db,
  name: string,
  content: string,
  load: (isFirst: boolean) => Promise<void>,
): Promise<boolean> => {
  const digest = createHash('sha256').update(content).digest('hex')
  const known = await db
    .selectFrom('reference_data')
    .select('digest')
    .where('name', '=', name)
    .executeTakeFirst()
  if (known?.digest === digest) return false
  await load(known === undefined)
  await db
    .insertInto('reference_data')
    .values({ name, digest })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ digest, loaded_at: new Date().toISOString() }),
    )
    .execute()
  return true
}
