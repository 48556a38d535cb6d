import pg from 'pg'
import { databaseUrl } from '../lib/postgres.ts'
import { say } from '../lib/progress.ts'
import { prepareSchema } from '../lib/seed.ts'
import { seedRecords } from '../lib/seed-records.ts'

/** Certificates of each measured customer. They also have approvals, half the number, and products, a tenth. */
export const holders = { hundred: 100_000, million: 1_000_000 } as const

export type HolderName = keyof typeof holders

const otherCustomers = 50
const otherCertificates = 2_000
const certificatesOfApproval = 2

/** Fills a new database with the customers' records. Resolves with its URL. */
export const seedQuestions = async (serverUrl: string): Promise<string> => {
  const admin = new pg.Client({ connectionString: serverUrl })
  await admin.connect()
  const known = await admin.query(`select from pg_database where datname = 'questions'`)
  const url = databaseUrl(serverUrl, 'questions')
  if (known.rowCount === 0) {
    await admin.query('create database questions')
    await prepareSchema(url)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const measured = Object.entries(holders).map(([customerId, records]) => ({ customerId, records }))
    const others = Array.from({ length: otherCustomers }, (_, index) => ({
      customerId: `other-${index + 1}`,
      records: otherCertificates,
    }))
    await seedRecords(client, 'questions', [...measured, ...others], { certificatesOfApproval })
    say('vacuum, analyze')
    await client.query('vacuum (analyze)')
    await client.end()
  }
  await admin.end()
  return url
}
