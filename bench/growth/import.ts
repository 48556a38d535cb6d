import { Readable } from 'node:stream'
import pg from 'pg'
import { createDb, createPool, operatorRole } from '../../app/db/connect.ts'
import { importRecords } from '../../app/import/index.ts'
import { cpuMs } from '../lib/cpu.ts'
import { measuredCustomer } from './cells.ts'

const importedLines = 10_000
const prefix = 'imported-'

const getLine = (n: number): string =>
  `${JSON.stringify({
    resource: 'certificates',
    customer: measuredCustomer,
    id: `${prefix}${n}`,
    number: `I-${n}`,
    title: `Radio module ${n}, imported`,
    product_id: `p${1 + (n % 1_000)}`,
    country_code: 'DE',
    authority: 'BNetzA',
    scheme: 'CE RED',
    certificate_type: 'type_approval',
    approval_status: 'approved',
    issued_on: '2026-01-15',
    valid_from: '2026-01-15',
    valid_until: '2031-01-14',
    holder: 'Acme Wireless GmbH',
    standards: ['EN 300 328'],
    tags: ['common', `t${n % 3_000}`],
  })}\n`

/**
 * Imports new certificates of the measured customer, and deletes them afterwards. Resolves with the processor time of
 * the import, this process and PostgreSQL together, in milliseconds.
 */
export const measureImport = async (
  url: string,
  postmaster: number,
  lines = importedLines,
): Promise<number> => {
  const pool = createPool(url, {
    max: 1,
    applicationName: 'bench',
    role: operatorRole,
    onError: () => {},
    statementTimeoutMs: 0,
  })
  const db = createDb(pool)
  const file = Buffer.from(Array.from({ length: lines }, (_, n) => getLine(n)).join(''))
  const readMs = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000 + cpuMs(postmaster)
  }
  const before = readMs()
  const report = await importRecords(db, Readable.from([file]))
  const ms = readMs() - before
  await db.destroy()
  if (report.created !== lines) throw new Error(`only ${report.created} of ${lines} lines were imported`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`delete from certificates where customer_id = $1 and id >= $2 and id < $2 || 'a'`, [
    measuredCustomer,
    prefix,
  ])
  await client.end()
  return ms
}
