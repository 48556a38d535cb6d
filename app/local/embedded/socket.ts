import pg from 'pg'

const noSuchDatabase = '3D000'
const timeoutMs = 5000

/** Returns the URL of the owner. Sets port and TLS mode, so that PGPORT and PGSSLMODE have no effect. */
export const socketUrl = (socketDir: string, database = 'certdata'): string =>
  `postgresql://certdata@/${database}?host=${encodeURIComponent(socketDir)}&port=5432&sslmode=disable`

const query = async (url: string, text: string): Promise<void> => {
  const client = new pg.Client({
    connectionString: url,
    // Replaces PGOPTIONS, which the server may refuse.
    options: '-c timezone=UTC',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(text)
  } finally {
    await client.end()
  }
}

/** Creates the database if it is missing. Rejects if the server is not ready or another call creates it. */
export const ensureDatabase = async (socketDir: string): Promise<void> => {
  try {
    await query(socketUrl(socketDir), 'select')
  } catch (error) {
    if ((error as { code?: string }).code !== noSuchDatabase) throw error
    await query(socketUrl(socketDir, 'postgres'), 'create database certdata')
  }
}
