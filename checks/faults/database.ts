import { statSync } from 'node:fs'
import { sql } from 'kysely'
import pg from 'pg'
import { createSecrets } from '../../app/config/secrets.ts'
import { migrate } from '../../app/db/migrate.ts'
import { ensureSigningKeys } from '../../app/identity/key-rotation.ts'
import { addCustomer, connectOwner, secretKey } from '../../test/helper.ts'
import { type PostgresServer, startPostgres } from '../freshness/postgres.ts'
import { type Disk, mountDisk } from './disk.ts'
import { productCount } from './mix.ts'

export type Database = {
  server: PostgresServer
  url: string
  owner: pg.Pool
  /** The disk that contains the database. `undefined` if this process may not mount one. */
  disk: Disk | undefined
  /** Keys of `acme`, which sends the load. `abortingKey` is a key of `bolt`, whose clients abort. */
  apiKeys: readonly string[]
  abortingKey: string
  close(): Promise<void>
}

const name = 'faults'
const certificateCount = 2_000
const keyCount = 8

const createDatabase = async (server: PostgresServer): Promise<Disk | undefined> => {
  const client = new pg.Client({ connectionString: server.url('postgres') })
  await client.connect()
  try {
    const { rows } = await client.query(`select current_setting('data_directory') as folder`)
    const disk = mountDisk(statSync(rows[0].folder))
    if (disk) await client.query(`create tablespace small location '${disk.folder}'`)
    await client.query(`create database ${name}${disk ? ' tablespace small' : ''}`)
    return disk
  } finally {
    await client.end()
  }
}

const fillDatabase = async (url: string) => {
  const db = connectOwner({ url })
  try {
    await migrate(db)
    await ensureSigningKeys(db, createSecrets([secretKey]))
    const options = { plan: 'enterprise' } as const
    const apiKeys: string[] = []
    for (let count = 0; count < keyCount; count += 1)
      apiKeys.push(await addCustomer({ operator: db }, 'acme', options))
    const abortingKey = await addCustomer({ operator: db }, 'bolt', options)
    for (const customer of ['acme', 'bolt']) {
      await sql`insert into products (customer_id, id, name)
        select ${customer}, 'p' || n, 'product ' || n
        from generate_series(0, ${productCount - 1}::integer) n`.execute(db)
      await sql`insert into certificates (customer_id, id, number, title, approval_status, valid_until)
        select ${customer}, 'c' || n, 'C-' || n, repeat('certificate ', 20), 'approved', date '2030-01-01' + n
        from generate_series(1, ${certificateCount}::integer) n`.execute(db)
    }
    return { apiKeys, abortingKey }
  } finally {
    await db.destroy()
  }
}

/** Starts the bundled PostgreSQL in a temporary folder. */
export const openDatabase = async (): Promise<Database> => {
  const server = await startPostgres()
  let disk: Disk | undefined
  try {
    disk = await createDatabase(server)
    const url = server.url(name)
    const keys = await fillDatabase(url)
    const owner = new pg.Pool({ connectionString: url, max: 3, application_name: 'faults' })
    owner.on('error', () => {})
    owner.on('connect', (client) => client.on('error', () => {}))
    const close = async () => {
      await owner.end().catch(() => {})
      await server.stop()
      disk?.remove()
    }
    return { server, url, owner, disk, ...keys, close }
  } catch (error) {
    await server.stop()
    disk?.remove()
    throw error
  }
}
