import { readerRole } from '../db/connect.ts'
import { listPendingMigrations } from '../db/migrate.ts'
import type { Db } from '../db/schema.ts'
import { UnfitConnection } from '../db/session-check.ts'
import { isUnreachable } from '../db/unreachable.ts'

const insufficientPrivilege = '42501'

const explainUnreadable = (cause: unknown): unknown => {
  if (isUnreachable(cause)) return cause
  if (cause instanceof UnfitConnection) return cause
  const isForbidden = (cause as { code?: unknown }).code === insufficientPrivilege
  const advice = isForbidden
    ? `the login of DATABASE_URL may not: \`grant ${readerRole} to <login>\``
    : 'run `npx --no certdata migrate` first'
  return new Error(`The schema cannot be read: ${advice}`, { cause })
}

/** Rejects with the command to run if the schema is old or unreadable, but unchanged if it is unreachable. */
export const requireCurrentSchema = async (db: Db): Promise<void> => {
  const pending = await listPendingMigrations(db).catch((error: unknown) => {
    throw explainUnreadable(error)
  })
  if (pending.length > 0) {
    throw new Error(`The schema lacks ${pending.join(', ')}: run \`npx --no certdata migrate\` first`)
  }
}
