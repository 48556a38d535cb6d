import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { secretKey } from '../../test/helper.ts'
import { startService, untilReady } from '../../test/service.ts'
import { startPrimary } from '../topology/engines.ts'

const root = join(import.meta.dirname, '../..')
const bin = '/usr/lib/postgresql/15/bin'
const operations = readFileSync(join(root, 'docs/operations.md'), 'utf8')

const [, section = ''] = /^## Backup and restore$([\s\S]*?)^## /m.exec(operations) ?? []
/** The SQL that creates the login for backups. */
const [, createBackupLogin = ''] = /^```sql\n([\s\S]*?)^```/m.exec(section) ?? []

/** Returns the SQL statements of the restore on another server, in order. */
const documentedRoles = (): string[] => {
  return [...section.matchAll(/^psql (.*)$/gm)].flatMap(([, line = '']) =>
    [...line.matchAll(/-c '([^']+)'/g)].map(([, statement = '']) => statement),
  )
}

const run = async (program: string, args: readonly string[], env: Record<string, string> = {}) => {
  const settings = { cwd: root, env: { PATH: process.env.PATH, ...env } }
  return (await promisify(execFile)(program, args, settings)).stdout
}

/** Runs the service until it has sealed the audit trail. Throws if it does not shut down cleanly. */
const serve = async (url: string): Promise<void> => {
  const service = await startService({ DATABASE_URL: url, SECRET_KEY: secretKey })
  await untilReady(service)
  await service.printed('"audit head"')
  const code = await service.stop()
  if (code !== 0) throw new Error(`the service exited with ${code}: ${service.output()}`)
}

/**
 * Takes a backup of one server and restores it on another one, which has never run the service, as
 * docs/operations.md describes. Throws if the restored data do not verify, are incomplete, or cannot be
 * served. Needs root and Debian's PostgreSQL 15.
 */
export const restoreElsewhere = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-restore-'))
  const dump = join(folder, 'certdata.dump')
  const [old, fresh] = [await startPrimary(), await startPrimary()]
  const tell = (server: typeof old, statement: string) =>
    run(`${bin}/psql`, ['-qAt', '-v', 'ON_ERROR_STOP=1', '-c', statement, server.url('postgres', 'postgres')])
  const certdata = (url: string, ...args: string[]) =>
    run(process.execPath, ['app/cli.ts', ...args], { DATABASE_URL: url, SECRET_KEY: secretKey })
  const readHead = async (url: string) => JSON.parse(await certdata(url, 'audit', 'verify', '--json')).head
  try {
    for (const server of [old, fresh]) {
      await tell(server, 'create role certdata_owner login createrole')
      await tell(server, 'create role certdata_web login')
    }
    await tell(old, 'create database certdata owner certdata_owner')
    const former = old.url('certdata_owner')
    await certdata(former, 'migrate')
    await certdata(former, 'customers', 'add', 'acme')
    await serve(old.url('certdata_owner'))
    const head = await readHead(former)
    await tell(old, createBackupLogin)
    await run(`${bin}/pg_dump`, ['--format=custom', `--file=${dump}`, old.url('certdata_backup')])

    for (const statement of documentedRoles()) await tell(fresh, statement)
    await tell(fresh, 'create database certdata owner certdata_owner')
    const restored = fresh.url('certdata_owner')
    await run(`${bin}/pg_restore`, ['--exit-on-error', '--no-owner', `--dbname=${restored}`, dump])
    await certdata(restored, 'migrate')
    await certdata(restored, 'audit', 'verify', '--head', head)
    const customers = await certdata(restored, 'customers', 'list', '--json')
    if (!customers.includes('"acme"')) throw new Error(`customers are missing: ${customers}`)
    await serve(fresh.url('certdata_web'))
  } finally {
    await Promise.all([old.stop(), fresh.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
}
