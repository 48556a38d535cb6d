import { features } from '../app/features.ts'
import { type Environment, run } from './command-line.ts'

// Tests of the kernel and of features export and erase a customer by command, because they import no other feature.

/** A reason to skip a test, in a service that cannot export and erase customers. */
export const withoutPersonalData = features.some(({ name }) => name === 'personal-data')
  ? false
  : 'the service has no feature for personal data'

type Database = Readonly<{ url: string }>

const runOn = async ({ url }: Database, ...words: string[]): Promise<string> => {
  const env: Environment = { DATABASE_URL: url }
  const { code, stdout, stderr } = await run(['customers', ...words], { env })
  if (code !== 0) throw new Error(`customers ${words.join(' ')}: ${stderr}`)
  return stdout
}

type Erased = { rows: Record<string, number>; audit_entries: number }

/** Erases a customer. Returns the numbers of deleted rows. */
export const eraseCustomer = async (database: Database, customer: string): Promise<Erased> =>
  JSON.parse(await runOn(database, 'erase', customer, '--yes', '--json'))

/** Exports a customer. Returns the rows by table. */
export const exportCustomer = async (
  database: Database,
  customer: string,
): Promise<Record<string, Record<string, unknown>[]>> => {
  const lines = (await runOn(database, 'export', customer)).trimEnd().split('\n')
  const entries = lines.map((line) => JSON.parse(line) as { table: string; row: Record<string, unknown> })
  const byTable = Object.groupBy(entries, ({ table }) => table)
  return Object.fromEntries(
    Object.entries(byTable).map(([table, all = []]) => [table, all.map(({ row }) => row)]),
  )
}
