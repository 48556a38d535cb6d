import pg from 'pg'
import { pinSession } from '../../db/session.ts'

const NOT_READY = ['57P03', 'ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']
const NO_SUCH_DATABASE = '3D000'
const TOO_MANY_CONNECTIONS = '53300'

// Messages of pg's own errors, which have no code.
const BROKEN_OFF = ['Connection terminated unexpectedly', 'timeout expired', 'Query read timeout']
const TIMEOUT_MS = 5000

/** Returns the URL of the owner. Sets port and TLS mode, so that PGPORT and PGSSLMODE have no effect. */
export function socketUrl(socketDir: string, database = 'certdata'): string {
  return `postgresql://certdata@/${database}?host=${encodeURIComponent(socketDir)}&port=5432&sslmode=disable`
}

/** Returns true if the server accepts connections. Creates the database if missing. Throws if it refuses. */
export async function answers(socketDir: string): Promise<boolean> {
  try {
    await query(socketUrl(socketDir), 'select')
    return true
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string }
    if (code === NO_SUCH_DATABASE) {
      await query(socketUrl(socketDir, 'postgres'), 'create database certdata')
      return true
    }
    if (code === TOO_MANY_CONNECTIONS) return true
    if (NOT_READY.includes(code) || BROKEN_OFF.includes(message)) return false
    throw error
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
