import t from 'tap'
import { openRenamed } from './renamed.ts'

t.test('renaming a field in the schema and in its table renames it in every answer', async (t) => {
  const { run, get, json } = await openRenamed(t)
  await run(`insert into certificates (customer_id, id, number, title, approval_status, product_id)
    values ('acme', 'c', 'C', 'C', 'approved', 'p')`)
  await run(`update products set maker = 'After'`)

  const shown: Record<string, Record<string, unknown>> = {
    page: (await json('products')).data[0],
    item: (await json('products/p')).data,
    include:
      Object.values<Record<string, unknown>>(
        (await json('certificates?include=product')).included.products,
      )[0] ?? {},
    export: JSON.parse((await get('/v1/products?format=ndjson')).body),
    search: (await json('products?q=after')).data[0],
  }
  for (const [name, record] of Object.entries(shown)) {
    t.equal(record?.maker, 'After', name)
    t.notOk('manufacturer' in record, name)
  }
})
