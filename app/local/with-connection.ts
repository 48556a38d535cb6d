import { type ConnectOptions, createDb, createPool } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'

type Connection = Pick<ConnectOptions, 'applicationName' | 'operator' | 'onError'> & {
  role: string | undefined
}

/** Runs `use` with one connection without a statement timeout, and closes the connection. */
export const withConnection = async <T>(
  url: string,
  { role, ...options }: Connection,
  use: (db: Db) => Promise<T>,
): Promise<T> => {
  const fixed = { ...options, max: 1, statementTimeoutMs: 0 }
  const db = createDb(createPool(url, role === undefined ? fixed : { ...fixed, role }))
  try {
    return await use(db)
  } finally {
    await db.destroy()
  }
}
