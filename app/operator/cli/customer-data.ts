import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { openRedisEraser, type RedisEraser } from '../../cache/erase.ts'
import { parseConfig } from '../../config/config.ts'
import { countCustomerRows, eraseCustomer } from '../gdpr/erase.ts'
import { type ExportedRow, exportCustomer } from '../gdpr/export.ts'
import { parseSlug } from './arguments.ts'
import { noCustomer, recordAct, refuseDemo, requireCustomer } from './audited.ts'
import { withOperator, withSchemaOwner } from './context.ts'
import { Refusal } from './refusal.ts'
import { createCommand, formatFields, type Output, print, type Shell } from './shell.ts'

const writeTo = async (stream: NodeJS.WritableStream, text: string): Promise<void> => {
  if (!stream.write(text)) await once(stream, 'drain')
}

type Target = { take: (row: ExportedRow) => Promise<void>; close: () => Promise<void> }

const refuseCutOutput = (cause: NodeJS.ErrnoException): never => {
  if (cause.code !== 'EPIPE') throw cause
  throw new Refusal('The reader of the output has stopped: the export is incomplete', { cause })
}

const toStandardOutput = ({ stdout }: Shell): Target => ({
  take: ({ table, json }) => writeTo(stdout, `{"table":"${table}","row":${json}}\n`).catch(refuseCutOutput),
  close: async () => {},
})

const toDirectory = async (directory: string): Promise<Target> => {
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    const isFile = cause.code === 'EEXIST' || cause.code === 'ENOTDIR'
    const reason = isFile ? 'there is a file of this name, or above it' : cause.message
    throw new Refusal(`The directory ${directory} cannot be created: ${reason}`, { cause })
  })
  if ((await readdir(directory)).length > 0) throw new Refusal(`${directory} is not empty`)
  const files = new Map<string, WriteStream>()
  const fileOf = (table: string): WriteStream => {
    const known = files.get(table)
    if (known) return known
    const file = createWriteStream(join(directory, `${table}.ndjson`), { flags: 'wx', mode: 0o600 })
    files.set(table, file)
    return file
  }
  return {
    take: ({ table, json }) => writeTo(fileOf(table), `${json}\n`),
    async close() {
      await Promise.all([...files.values()].map((file) => finished(file.end())))
    },
  }
}

const runExport = (shell: Shell, customer: string, options: Output & { output?: string }): Promise<void> =>
  withOperator(shell, async (db) => {
    await requireCustomer(db, customer)
    const { output } = options
    const target = output === undefined ? toStandardOutput(shell) : await toDirectory(output)
    // In a separate transaction before the first row: no data is exported without an entry.
    await recordAct(db, { action: 'customers.export', customer })
    const rows = await exportCustomer(db, customer, target.take)
    await target.close()
    if (output !== undefined) print(shell, options, { customer, directory: output, rows }, formatFields(rows))
  })

const openRedis = async (url: string | undefined) => {
  if (url === undefined) return undefined
  return await openRedisEraser(url).catch((cause: unknown) => {
    throw new Refusal('Nothing was erased, because Redis does not answer and holds answers of the customer', {
      cause,
    })
  })
}

/** Instances use facts that are at most 500 ms old, and settle counts within 50 ms. */
const instancesForgetMs = 1_500

/** Erases after the commit, and again when no instance adds anything for the customer. */
const eraseFromRedis = async (redis: RedisEraser, customer: string, keyIds: readonly string[]) => {
  const erased = await redis.erase(customer, keyIds)
  if (keyIds.length > 0) await delay(instancesForgetMs)
  return erased + (await redis.erase(customer, keyIds))
}

const refuseUnconfirmed = async (shell: Shell, customer: string): Promise<never> => {
  const counts = await withOperator(shell, (db) => countCustomerRows(db, customer))
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  if (parts.length === 0) throw noCustomer(customer)
  const listed = parts.map(([name, count]) => `${count} ${name}`).join(', ')
  throw new Refusal(`This would delete for good: ${listed}. Add --yes to do it`)
}

const erase = async (shell: Shell, customer: string, options: Output & { yes?: true }): Promise<void> => {
  refuseDemo(customer)
  if (!options.yes) await refuseUnconfirmed(shell, customer)
  const redis = await openRedis(parseConfig(shell.env).redisUrl)
  try {
    const erased = await withSchemaOwner(shell, (db) => eraseCustomer(db, customer))
    const redisKeys = redis ? await eraseFromRedis(redis, customer, erased?.keyIds ?? []) : null
    if (!erased && !redisKeys) throw noCustomer(customer)
    const { rows = {}, auditEntries = 0 } = erased ?? {}
    const counts = { audit_entries: auditEntries, redis_keys: redisKeys }
    print(shell, options, { customer, rows, ...counts }, formatFields({ ...rows, ...counts }))
  } finally {
    redis?.close()
  }
}

/** `certdata customers export|erase` */
export const customerDataCommands = (shell: Shell): Command[] => [
  createCommand('export', 'export all data of a customer as JSON lines')
    .argument('<customer>', 'slug of the customer', parseSlug)
    .option('--output <directory>', 'a file for each table, in a new or empty directory (default: stdout)')
    .action(runExport.bind(null, shell)),
  createCommand('erase', 'delete a customer and all its data for good')
    .argument('<customer>', 'slug of the customer', parseSlug)
    .option('--yes', 'really')
    .action(erase.bind(null, shell)),
]
