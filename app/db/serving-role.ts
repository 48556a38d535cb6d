import type pg from 'pg'
import { answerTimeoutMs, connectTimeoutMs, MortalClient } from './client.ts'
import { readerRole } from './roles.ts'

/**
 * The role that serving connections must take: none where the login is already without rights of its own
 * (a pooler that refuses start-up options needs such a login), else the reader.
 * Throws the driver's error where the database is unreachable.
 */
export const findServingRole = async (url: string): Promise<string | undefined> => {
  const client = new MortalClient({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
  }) as pg.Client
  // What happens to it between statements is told by the next one.
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query('select current_user as role')
    return rows[0].role === readerRole ? undefined : readerRole
  } finally {
    await client.end()
  }
}
