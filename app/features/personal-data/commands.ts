import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { openRedisEraser, type RedisEraser } from '../../cache/erase.ts'
import { parseSlug } from '../../command-line/arguments.ts'
import {
  changeAudited,
  noCustomer,
  recordAct,
  requireCustomer,
  requireNoDemo,
} from '../../command-line/audited.ts'
import { type Confirmable, confirm, withYes } from '../../command-line/confirm.ts'
import { withOperator, withSchemaOwner } from '../../command-line/context.ts'
import { Refusal } from '../../command-line/refusal.ts'
import {
  createCommand,
  createGroup,
  formatFields,
  type Output,
  print,
  type Shell,
} from '../../command-line/shell.ts'
import { describeFileFault, openSource } from '../../command-line/source.ts'
import { parseConfig } from '../../config/config.ts'
import { answerTimeoutMs } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import {
  countCustomerRows,
  countPersons,
  eraseCustomer,
  readAfterErasure,
  type ShownErasure,
} from './erase.ts'
import { type ExportedRow, exportCustomer } from './export.ts'
import { type ImportedCustomer, importCustomer, UnusableExport } from './import.ts'
import { type FeatureTables, type KnownTables, listAdditions, listKnownTables } from './tables.ts'

type Take = (row: ExportedRow) => Promise<void>

const throwCutOutput = (cause: NodeJS.ErrnoException): never => {
  if (cause.code !== 'EPIPE') throw cause
  throw new Refusal('The reader of the output has stopped: the export is incomplete', { cause })
}

const toStandardOutput =
  ({ stdout }: Shell): Take =>
  async ({ table, json }) => {
    const hasRoom = stdout.write(`{"table":"${table}","row":${json}}\n`)
    if (!hasRoom) await once(stdout, 'drain').catch(throwCutOutput)
  }

const createDirectory = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    const isFile = cause.code === 'EEXIST' || cause.code === 'ENOTDIR'
    const reason = isFile ? 'there is a file of this name, or above it' : describeFileFault(cause)
    throw new Refusal(`The directory ${directory} cannot be created: ${reason}`, { cause })
  })
  if ((await readdir(directory)).length > 0) throw new Refusal(`${directory} is not empty`)
}

const toDirectory = async (directory: string): Promise<Take> => {
  await createDirectory(directory)
  return async ({ table, json }) => {
    try {
      appendFileSync(join(directory, `${table}.ndjson`), `${json}\n`, { mode: 0o600 })
    } catch (cause) {
      throw new Refusal(`The export is incomplete: ${describeFileFault(cause as Error)}`, { cause })
    }
  }
}

type ExportOptions = Output & { output?: string; withKeys?: true }

const runExport = (
  shell: Shell,
  knownTables: KnownTables,
  customer: string,
  options: ExportOptions,
): Promise<void> =>
  withOperator(shell, async (db) => {
    await requireCustomer(db, customer)
    const { output, withKeys = false } = options
    const take = output === undefined ? toStandardOutput(shell) : await toDirectory(output)
    // Before the export, whose transaction is read only: no data without an entry.
    await recordAct(db, { action: 'customers.export', customer, details: { with_keys: withKeys } })
    const rows = await exportCustomer(db, customer, take, { knownTables, withKeys })
    const additions = await listAdditions(db, knownTables)
    if (additions.length > 0) {
      const reason = 'not exported, because the service does not know them'
      shell.stderr.write(`${reason}: ${additions.join(', ')}\n`)
    }
    if (output === undefined) return
    print(shell, options, { customer, directory: output, rows, not_exported: additions }, formatFields(rows))
  })

const formatImported = ({ customer, rows, leftBehind }: ImportedCustomer): string =>
  [formatFields({ customer, ...rows }), 'left behind:', ...leftBehind.map((each) => `- ${each}`)].join('\n')

const runImport = async (
  shell: Shell,
  knownTables: KnownTables,
  file: string,
  options: Output,
): Promise<void> => {
  const imported = await withOperator(shell, async (db) => {
    const { stream } = await openSource(shell, file)
    return changeAudited(
      db,
      (trx) => importCustomer(trx, stream, knownTables),
      ({ customer, rows }) => ({ action: 'customers.import', customer, details: { rows } }),
    )
  }).catch((cause) => {
    if (!(cause instanceof UnusableExport)) throw cause
    throw new Refusal(`Nothing was imported: ${cause.message}`, { cause })
  })
  const { customer, rows, leftBehind } = imported
  print(shell, options, { customer, rows, left_behind: leftBehind }, formatImported(imported))
}

const throwWithoutRedis = (cause: unknown): never => {
  const reason = 'Nothing was erased, because Redis does not answer and holds answers of the customer'
  throw new Refusal(reason, { cause })
}

const repeatMs = 1_500
/** A read of before the erasure may wait for the queue and then last this long. */
const readsEndMs = answerTimeoutMs + repeatMs

/** Lets Redis refuse late writes. Repeats the deletion in case Redis loses this refusal, as a full one may. */
const eraseRest = async (
  redis: RedisEraser,
  customer: string,
  keyIds: readonly string[],
  shown: ShownErasure,
): Promise<number> => {
  try {
    await redis.shutOut(customer, shown)
    let erased = await redis.erase(customer, keyIds)
    const endsAt = performance.now() + readsEndMs
    while (keyIds.length > 0 && performance.now() < endsAt) {
      await delay(repeatMs)
      erased += await redis.erase(customer, keyIds)
    }
    return erased
  } catch (cause) {
    const reason = `Redis failed after the erasure of ${customer} from the database: run the command again`
    throw new Refusal(`${reason}. Failed logins of its keys are counted for a minute`, { cause })
  }
}

const describeErasure = async (db: Db, customer: string): Promise<string | undefined> => {
  const rows = await countCustomerRows(db, customer)
  const counts = { ...rows, 'audit entries (their personal part)': await countPersons(db, customer) }
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  if (parts.length === 0) return undefined
  return `These data of ${customer} are deleted for good: ${parts.map(([name, count]) => `${count} ${name}`).join(', ')}`
}

const erase = async (shell: Shell, customer: string, options: Confirmable): Promise<void> => {
  requireNoDemo(customer)
  const { redisUrl } = parseConfig(shell.env)
  const redis = redisUrl === undefined ? undefined : await openRedisEraser(redisUrl).catch(throwWithoutRedis)
  try {
    const [erased, shown, before = 0] = await withSchemaOwner(shell, async (db) => {
      // Without rows, continue: an earlier erasure may have failed after the commit and left keys in Redis.
      const consequence = await describeErasure(db, customer)
      if (consequence !== undefined) await confirm(shell, options, consequence)
      let count: number | undefined
      const done = await eraseCustomer(db, customer, async (keyIds) => {
        // Before the commit, which deletes the key ids: if Redis fails, nothing is erased.
        count = await redis?.erase(customer, keyIds).catch(throwWithoutRedis)
      })
      return [done, await readAfterErasure(db), count] as const
    })
    const redisKeys = redis ? before + (await eraseRest(redis, customer, erased?.keyIds ?? [], shown)) : null
    if (!erased && !redisKeys) throw noCustomer(customer)
    const { rows = {}, auditEntries = 0 } = erased ?? {}
    const counts = { audit_entries: auditEntries, redis_keys: redisKeys }
    const printed = { ...rows, ...counts, redis_keys: redisKeys ?? 'no Redis' }
    print(shell, options, { customer, rows, ...counts }, formatFields(printed))
  } finally {
    redis?.close()
  }
}

/** `certdata customers export|import|erase` */
export const buildCommand = (shell: Shell, features: FeatureTables): Command => {
  const knownTables = listKnownTables(features)
  return createGroup(
    'customers',
    'the data of a customer',
    createCommand('export', 'export all data of a customer as JSON lines')
      .argument('<customer>', 'slug of the customer', parseSlug)
      .option('--output <directory>', 'a file for each table, in a new or empty directory (default: stdout)')
      .option('--with-keys', 'also what customers import needs to restore keys; the file is a secret then')
      .action(runExport.bind(null, shell, knownTables)),
    createCommand('import', 'import the export of a customer that this database does not have')
      .argument('<file>', 'file of customers export; - reads standard input')
      .action(runImport.bind(null, shell, knownTables)),
    withYes(createCommand('erase', 'delete a customer and all its data for good'))
      .argument('<customer>', 'slug of the customer', parseSlug)
      .action(erase.bind(null, shell)),
  )
}
