import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { createDb, createPool } from '../../app/db/connect.ts'
import { migrate } from '../../app/db/migrate.ts'
import { startEmbedded } from '../../app/local/embedded.ts'

/**
 * Writes records with object-relational mappers from the public registries, as another system would. Updates
 * that change nothing must look like success, and leave no trace. `--dropped` plants the fault that they
 * report no row, and expects every mapper to fail. Exits with 1 if a mapper behaves otherwise.
 */
const isDropped = process.argv.includes('--dropped')
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'certdata-orms-'))

/** Versions are pinned, so that a failure is a change of this repository. */
const pythonPackages = ['django==5.2.19', 'sqlalchemy==2.1.9', 'psycopg[binary]==3.3.9']
const nodePackages = ['typeorm@1.1.1', 'pg@8.23.1']

const python = join(folder, 'python', 'bin', 'python')

const install = async (): Promise<void> => {
  await run(process.env.PYTHON ?? 'python3', ['-m', 'venv', join(folder, 'python')])
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...pythonPackages])
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, ...nodePackages])
  cpSync(import.meta.dirname, folder, { recursive: true })
}

/** Each mapper with the changes of its records, in order. */
const mappers = [
  { command: python, file: 'django_writer.py', changes: { 'products django': 3 } },
  {
    command: python,
    file: 'sqlalchemy_writer.py',
    changes: { 'lab sqlalchemy': 3, 'products other': 2, 'products sqlalchemy': 3, 'products third': 2 },
  },
  {
    command: process.execPath,
    file: 'typeorm-writer.cjs',
    changes: { 'products a': 3, 'products b': 3, 'products c': 2 },
  },
]

const server = await startEmbedded({
  dataDir: join(folder, 'data'),
  packageRoot: join(import.meta.dirname, '../..'),
  log: () => {},
  temporary: true,
})
const pool = createPool(server.url, {
  max: 1,
  applicationName: 'check',
  onError: () => {},
  statementTimeoutMs: 0,
})
const owner = createDb(pool)

const dropUnchanged = async (): Promise<void> => {
  const { rows } = await sql<{ definition: string }>`
    select replace(pg_get_functiondef(oid), 'then return new; end if;', 'then return null; end if;') as definition from pg_proc
    where prosrc like '%then return new; end if;%'`.execute(owner)
  for (const { definition } of rows) await sql.raw(definition).execute(owner)
}

const readChanges = async (): Promise<Record<string, number>> => {
  const { rows } = await sql<{ record: string; changes: number }>`
    select resource || ' ' || record_id as record, count(*) as changes from change_log group by 1 order by 1`.execute(
    owner,
  )
  return Object.fromEntries(rows.map(({ record, changes }) => [record, changes]))
}

try {
  await install()
  await migrate(owner)
  await sql
    .raw(
      `create role erp login password 'erp' in role certdata_operator;
       insert into customers (customer_id, name) values ('acme', 'Acme')`,
    )
    .execute(owner)
  if (isDropped) await dropUnchanged()
  const address = new URLSearchParams(server.url.split('?')[1])
  const DATABASE = JSON.stringify({
    HOST: address.get('host'),
    PORT: address.get('port'),
    NAME: /\/(\w+)\?/.exec(server.url)?.[1],
    USER: 'erp',
    PASSWORD: 'erp',
  })
  for (const { command, file, changes } of mappers) {
    await sql`delete from products`.execute(owner)
    await sql`delete from change_log`.execute(owner)
    const result = await run(command, [join(folder, file)], { env: { ...process.env, DATABASE } }).then(
      ({ stdout }) => ({ isRight: true, text: stdout.trim() }),
      ({ stderr }: { stderr: string }) => ({ isRight: false, text: stderr.trim() }),
    )
    const logged = await readChanges()
    const isLogged = JSON.stringify(logged) === JSON.stringify(changes)
    if (isDropped) {
      console.log(`${result.isRight ? 'NOT FOUND' : 'found'}: ${file}: ${result.text.split('\n').at(-1)}`)
      if (result.isRight) process.exitCode = 1
      continue
    }
    console.log(`${result.isRight && isLogged ? 'ok' : 'RED'}: ${result.text}`)
    if (!isLogged) console.log(`logged ${JSON.stringify(logged)}, expected ${JSON.stringify(changes)}`)
    if (!result.isRight || !isLogged) process.exitCode = 1
  }
} finally {
  await owner.destroy()
  await server.release()
  rmSync(folder, { recursive: true, force: true })
}
