import pg from 'pg'
import { pinSession } from '../../db/session.ts'

const NO_SUCH_DATABASE = '3D000'
const TIMEOUT_MS = 5000

/** Returns the URL of the owner. Sets port and TLS mode, so that PGPORT and PGSSLMODE have no effect. */
export function socketUrl(socketDir: string, database = 'certdata'): string {
  return `postgresql://certdata@/${database}?host=${encodeURIComponent(socketDir)}&port=5432&sslmode=disable`
}

/** Creates the database if it is missing. Rejects if the server is not ready or another call creates it. */
export async function ensureDatabase(socketDir: string): Promise<void> {
  try {
    await query(socketUrl(socketDir), 'select')
  } catch (error) {
    if ((error as { code?: string }).code !== NO_SUCH_DATABASE) throw error
    await query(socketUrl(socketDir, 'postgres'), 'create database certdata')
  }
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({
    connectionString: pinSession(url),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(text)
  } finally {
    await client.end()
  }
}
