import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { sql } from 'kysely'
import type { Test } from 'tap'

const rename = (text: string): string => text.replaceAll(/\bmanufacturer\b/g, 'maker')
const definitions = ['/schemas/product.ts', '/app/records/resources/products.ts']

// Renames the field in these two modules only. They are imported below.
registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    if (!definitions.some((path) => url.endsWith(path))) return loaded
    return { ...loaded, source: rename(String(loaded.source)) }
  },
})
const { asCustomer, connectOwner, createTestApp, createTestDatabase, secretKey } = await import(
  '../helper.ts'
)
const { listBaseline, migrate } = await import('../../app/db/migrate.ts')
const { createSecrets } = await import('../../app/config/secrets.ts')
const { ensureSigningKeys } = await import('../../app/identity/key-rotation.ts')

const renamed = {
  '0001-baseline': {
    up: async (db: Parameters<ReturnType<typeof sql.raw>['execute']>[0]) => {
      for (const file of listBaseline()) await sql.raw(rename(readFileSync(file, 'utf8'))).execute(db)
    },
  },
}

/** Opens a service whose field `manufacturer` of products is named `maker`, in the schema and in the table. */
export const openRenamed = async (t: Test) => {
  const database = await createTestDatabase()
  const owner = connectOwner(database)
  await sql.raw('drop schema public cascade; create schema public').execute(owner)
  await migrate(owner, renamed)
  await ensureSigningKeys(owner, createSecrets([secretKey]))
  const app = await createTestApp(database)
  t.teardown(async () => {
    await app.close()
    await owner.destroy()
    await database.close()
  })
  const run = (text: string) => sql.raw(text).execute(database.operator)
  const { get } = await asCustomer(database, app, 'acme')
  const json = async (path: string) => {
    const answer = await get(`/v1/${path}`)
    t.equal(answer.statusCode, 200, path.replace(/after=.*/, 'after=token'))
    return answer.json()
  }
  await run(`insert into products (customer_id, id, name, maker) values ('acme', 'p', 'P', 'Before')`)
  return { run, get, json }
}
