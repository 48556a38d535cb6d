import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../app/local/embedded.ts'
import { getParent } from './cpu.ts'
import { stopWithProcess } from './endings.ts'
import { freePort, makeFolder, type Started } from './processes.ts'

const root = join(import.meta.dirname, '../..')

/** Returns the newest PostgreSQL installation of the machine. */
const findLocalBinaries = (): string | undefined =>
  globSync('/usr/lib/postgresql/*/bin')
    .filter((bin) => existsSync(join(bin, 'initdb')))
    .sort((a, b) => Number(b.split('/')[4]) - Number(a.split('/')[4]))[0]

/** PostgreSQL refuses to run as root. */
const getOwner = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/**
 * `folder` keeps the data. Without it they are removed with the server. `settings` are added to the bench's
 * settings.
 */
export type PostgresOptions = { folder?: string; settings?: Readonly<Record<string, string>> }

/** Settings for large seeds. A crash of the machine ends the bench anyway, and no read notices them. */
export const undurable = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
}

const benchSettings = { max_connections: '200', shared_buffers: '512MB', max_wal_size: '4GB' }

const startLocal = async (bin: string, { folder: kept, settings }: PostgresOptions): Promise<Started> => {
  const folder = kept ?? makeFolder()
  const data = join(folder, 'data')
  const owner = getOwner()
  const run = (program: string, options: string[]) =>
    execFileSync(join(bin, program), options, {
      ...owner,
      cwd: folder,
      stdio: 'ignore',
      env: { HOME: folder },
    })
  if (!existsSync(join(data, 'PG_VERSION'))) {
    mkdirSync(folder, { recursive: true })
    if (owner.uid !== undefined) execFileSync('chown', [String(owner.uid), folder])
    run('initdb', ['-D', data, '-U', 'postgres', '--no-locale', '-E', 'UTF8', '-A', 'trust'])
  }
  const port = await freePort()
  const set = Object.entries({ ...benchSettings, ...settings }).map(([name, value]) => ` -c ${name}=${value}`)
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1${set.join('')}`
  run('pg_ctl', ['-D', data, '-l', join(folder, 'log'), '-w', '-o', options, 'start'])
  return stopWithProcess({
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    label: `PostgreSQL ${bin.split('/')[4]} of this machine`,
    stop: async () => {
      run('pg_ctl', ['-D', data, '-m', kept ? 'fast' : 'immediate', '-w', 'stop'])
      if (!kept) rmSync(folder, { recursive: true, force: true })
    },
  })
}

/** Starts the machine's PostgreSQL, or the bundled one if none is installed. */
export const startPostgres = async (options: PostgresOptions = {}): Promise<Started> => {
  const bin = findLocalBinaries()
  if (bin) return startLocal(bin, options)
  const folder = options.folder ?? makeFolder()
  const server = await startEmbedded({
    dataDir: folder,
    packageRoot: root,
    log: () => {},
    settings: { ...benchSettings, ...options.settings },
    temporary: options.folder === undefined,
  })
  return stopWithProcess({
    url: server.url,
    label: 'the bundled PostgreSQL (none is installed)',
    stop: async () => {
      await server.release()
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  })
}

const readNumber = async (
  url: string,
  expression: string,
  convert: (value: number) => number = (value) => value,
): Promise<number> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(`select (${expression})::integer as value`)
  const value = convert(rows[0].value)
  await client.end()
  return value
}

/** Returns the pid of PostgreSQL's main process, or NaN if the system does not provide it. */
export const getPostmaster = (url: string): Promise<number> => readNumber(url, 'pg_backend_pid()', getParent)

/** Returns the number of finished transactions of all databases. A query outside a transaction counts as one. */
export const countTransactions = (url: string): Promise<number> =>
  readNumber(url, 'select sum(xact_commit + xact_rollback) from pg_stat_database')

/** Replaces the database in a URL. */
export const databaseUrl = (url: string, name: string): string =>
  url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`)
