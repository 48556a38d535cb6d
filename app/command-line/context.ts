import { resolve } from 'node:path'
import { type Config, parseConfig } from '../config/config.ts'
import { createSecrets, type Secrets } from '../config/secrets.ts'
import { operatorRole } from '../db/connect.ts'
import { listPendingMigrations } from '../db/migrate.ts'
import { requireOwner } from '../db/rights.ts'
import type { Db } from '../db/schema.ts'
import { openSecretKeys } from '../local/secret-keys.ts'
import { withConnection } from '../local/with-connection.ts'
import { Refusal } from './refusal.ts'
import type { Shell } from './shell.ts'

const packageRoot = resolve(import.meta.dirname, '../..')

type Server = {
  url: string
  operator: string | undefined
  isEmbedded: boolean
  /** On demand, because most commands need no secrets. */
  openSecrets: () => Secrets
}

type UseServer<T> = (server: Server) => Promise<T>

/** Only `migrate` creates data. Any other command would create a second database by accident. */
const requireInstance = async (dataDir: string): Promise<void> => {
  const { hasInstance } = await import('../local/embedded/cluster-paths.ts')
  if (hasInstance(dataDir)) return
  throw new Refusal(
    `There is no database in ${dataDir}. Set DATA_DIR to the data folder of the service, which npm start prints, or set DATABASE_URL. To create a new database, run npm start or certdata migrate`,
  )
}

const nameOperator = (shell: Shell, { operator }: Config) => operator ?? shell.user

const useEmbedded = async <T>(
  shell: Shell,
  config: Config,
  mayCreate: boolean,
  use: UseServer<T>,
): Promise<T> => {
  const log = (message: string) => shell.stderr.write(`${message}\n`)
  if (!mayCreate) await requireInstance(resolve(packageRoot, config.dataDir))
  const { startEmbedded } = await import('../local/embedded.ts')
  const starting = startEmbedded({ dataDir: config.dataDir, packageRoot, log, isQuiet: !mayCreate })
  const release = async () => (await starting).release()
  // The server stops on a signal, too, if no other process uses it. Uncommitted changes are rolled back.
  const forgetSignals = shell.onSignal(release)
  const operator = nameOperator(shell, config)
  try {
    const { url, directory } = await starting
    const openSecrets = () => createSecrets(openSecretKeys(config, packageRoot, { directory, mayCreate }))
    return await use({ url, operator, isEmbedded: true, openSecrets })
  } finally {
    forgetSignals()
    await release()
  }
}

const useServer = <T>(shell: Shell, mayCreate: boolean, use: UseServer<T>): Promise<T> => {
  const config = parseConfig(shell.env)
  const url = config.databaseAdminUrl
  if (url === undefined) return useEmbedded(shell, config, mayCreate, use)
  const openSecrets = () => createSecrets(openSecretKeys(config, packageRoot, { mayCreate }))
  return use({ url, operator: nameOperator(shell, config), isEmbedded: false, openSecrets })
}

const connect = <T>(
  { operator, url }: Pick<Server, 'operator' | 'url'>,
  role: string | undefined,
  use: (db: Db) => Promise<T>,
): Promise<T> =>
  // The running statement reports a lost connection.
  withConnection(url, { role, operator, applicationName: 'certdata-cli', onError: () => {} }, use)

const requireSchema = async (db: Db, server: Server): Promise<void> => {
  const pending = await listPendingMigrations(db)
  if (pending.length === 0) return
  if (!server.isEmbedded) throw new Refusal('The schema is not up to date: run certdata migrate first')
  // Loaded on demand: its modules take longer than the rest of a command.
  const { prepareDatabase } = await import('../local/prepare.ts')
  await prepareDatabase(db, server.openSecrets())
}

export type UseDatabase<T> = (db: Db, openSecrets: () => Secrets) => Promise<T>

/** Runs `use` as the owner, even if migrations are pending. Creates a missing bundled database. */
export const withOwner = <T>(shell: Shell, use: UseDatabase<T>): Promise<T> =>
  useServer(shell, true, (server) => connect(server, undefined, (db) => use(db, server.openSecrets)))

const withRole = <T>(shell: Shell, role: string | undefined, use: UseDatabase<T>): Promise<T> =>
  useServer(shell, false, async (server) => {
    await connect(server, undefined, (db) => requireSchema(db, server))
    return connect(server, role, (db) => use(db, server.openSecrets))
  })

/**
 * Runs `use` as the operator's role, which sees every customer. Migrates a bundled database. Throws a Refusal
 * if a configured database is not up to date, or if none is configured and DATA_DIR has no bundled one.
 */
export const withOperator = <T>(shell: Shell, use: UseDatabase<T>): Promise<T> =>
  withRole(shell, operatorRole, use)

/** Like `withOperator`, but as the schema owner, who may delete from the audit trail. Rejects for another login. */
export const withSchemaOwner = <T>(shell: Shell, use: UseDatabase<T>): Promise<T> =>
  withRole(shell, undefined, async (db, openSecrets) => {
    await requireOwner(db)
    return use(db, openSecrets)
  })
