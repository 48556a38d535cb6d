const assert = require('node:assert/strict')
const { readFileSync } = require('node:fs')
const { DataSource, EntitySchema } = require('typeorm')

const { HOST, PORT, NAME, USER, PASSWORD } = JSON.parse(process.env.DATABASE)

/** TypeORM exports no package.json. */
const readVersion = (name) =>
  JSON.parse(readFileSync(`${__dirname}/node_modules/${name}/package.json`, 'utf8')).version

const Product = new EntitySchema({
  name: 'Product',
  tableName: 'products',
  columns: {
    customer_id: { type: 'text', primary: true },
    id: { type: 'text', primary: true },
    name: { type: 'text' },
    model: { type: 'text', nullable: true },
    created_at: { type: 'timestamptz', createDate: true },
    updated_at: { type: 'timestamptz', updateDate: true },
  },
})

const source = new DataSource({
  type: 'postgres',
  host: HOST,
  port: Number(PORT),
  database: NAME,
  username: USER,
  password: PASSWORD,
  entities: [Product],
})

const main = async () => {
  await source.initialize()
  const products = source.getRepository(Product)
  const toEntities = (names) => Object.entries(names).map(([id, name]) => ({ customer_id: 'acme', id, name }))
  // Two transactions, so that the records have different times.
  await products.insert(toEntities({ a: 'one' }))
  await products.insert(toEntities({ b: 'one', c: 'one' }))

  const before = await products.find({ order: { id: 'ASC' } })
  for (let round = 0; round < 2; round += 1) {
    const entities = toEntities({ a: 'one', b: 'two', c: 'one' })
    const { generatedMaps } = await products.upsert(entities, ['customer_id', 'id'])
    assert.equal(generatedMaps.length, 3)
    const stored = await products.find({ order: { id: 'ASC' } })
    for (const [index, { created_at, updated_at }] of entities.entries()) {
      assert.deepEqual(
        { created_at, updated_at },
        {
          created_at: stored[index].created_at,
          updated_at: stored[index].updated_at,
        },
      )
    }
    assert.deepEqual([stored[0], stored[2]], [before[0], before[2]])
  }

  const { affected } = await products.update({ customer_id: 'acme', id: 'a' }, { name: 'one' })
  assert.equal(affected, 1)
  const [a] = await products.find({ order: { id: 'ASC' } })
  await products.save(a)
  a.name = 'three'
  await products.save(a)
  assert.equal((await products.findOneByOrFail({ id: 'a' })).name, 'three')
  await products.remove(await products.find())
  await source.destroy()
  console.log(`TypeORM ${readVersion('typeorm')}, pg ${readVersion('pg')}, Node.js ${process.version}`)
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
