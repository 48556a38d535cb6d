import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { sql } from 'kysely'
import t from 'tap'

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

t.test('renaming a field in the schema and in its table renames it in every answer', async (t) => {
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
  await run(`insert into certificates (customer_id, id, number, title, approval_status, product_id)
    values ('acme', 'c', 'C', 'C', 'approved', 'p')`)
  const token = (await json('changes')).page.next_token
  await run(`update products set maker = 'After'`)

  const shown: Record<string, Record<string, unknown>> = {
    page: (await json('products')).data[0],
    item: (await json('products/p')).data,
    include:
      Object.values<Record<string, unknown>>(
        (await json('certificates?include=product')).included.products,
      )[0] ?? {},
    feed: (await json(`changes?after=${token}`)).data[0].data,
    export: JSON.parse((await get('/v1/products?format=ndjson')).body),
    search: (await json('products?q=after')).data[0],
  }
  for (const [name, record] of Object.entries(shown)) {
    t.equal(record?.maker, 'After', name)
    t.notOk('manufacturer' in record, name)
  }
  const history = await json('products/p/history')
  t.same(history.data[0].changes, { maker: { from: 'Before', to: 'After' } })
})
