import t from 'tap'
import { certificate, openDatabase, product } from './database.ts'

const database = await openDatabase(t)
const { query, take, read, fingerprint } = database
t.beforeEach(() => query('truncate certificates, products, projects, lab, approvals; delete from customers'))

const replace = true
const count = async () => {
  const [products, certificates] = [await read('products'), await read('certificates')]
  return [...products.keys(), ...certificates.keys()].sort()
}

t.test('records missing from the file are deleted, of every resource, of its customers only', async (t) => {
  await take([
    ...['a', 'b', 'c'].map((id) => product(id)),
    certificate('x'),
    { resource: 'lab', customer: 'acme', id: 'x', report_number: 'R', status: 'planned' },
    ...['a', 'b', 'c', 'd'].map((id) => product(id, { customer: 'other' })),
  ])
  const report = await take([product('a'), product('b'), product('c'), product('d')], { replace })
  t.match(report, { created: 1, unchanged: 3, deleted: 2, deletionRefused: null })
  t.equal((await read('certificates')).size, 0)
  t.equal((await read('lab')).size, 0)
  t.equal([...(await read('products')).keys()].filter((key) => key.startsWith('other')).length, 4)
})

t.test('countries are never deleted', async (t) => {
  await take([{ resource: 'countries', code: 'XX', alpha3: 'XXX', name: 'Nowhere', region: 'europe' }])
  await take([product('a')], { replace, force: true })
  t.equal((await query('select id from countries')).length, 1)
  await query('delete from countries')
})

t.test('with a bad line nothing is deleted, good lines go in; force deletes', async (t) => {
  await take([product('a'), product('b'), product('c')])
  const lines = [product('a', { brand: 'New' }), product('b'), 'broken']
  const report = await take(lines, { replace })
  t.match(report, { updated: 1, deleted: 0, bad: 1, deletionRefused: /1 record is missing.*a bad line/ })
  t.strictSame(await count(), ['acme a', 'acme b', 'acme c'])
  t.match(await take(lines, { replace, force: true }), { deleted: 1, bad: 1, deletionRefused: null })
  t.strictSame(await count(), ['acme a', 'acme b'])
})

t.test('a record whose line is bad is not missing', async (t) => {
  await take([product('a'), product('b'), product('c')])
  await take([product('a'), product('b', { name: 7 })], { replace, force: true })
  t.strictSame(await count(), ['acme a', 'acme b'])
})

t.test('exactly half may go, more only by force', async (t) => {
  await take(['a', 'b', 'c', 'd'].map((id) => product(id)))
  const report = await take([product('a')], { replace })
  t.match(report, { deleted: 0, deletionRefused: /3 of the 4 records/ })
  t.equal((await count()).length, 4)
  t.match(await take([product('a'), product('b')], { replace }), { deleted: 2, deletionRefused: null })
  t.match(await take([product('z')], { replace, force: true }), { created: 1, deleted: 2 })
  t.strictSame(await count(), ['acme z'])
})

t.test('new records do not hide that over half of the old ones would go', async (t) => {
  await take(['a', 'b', 'c'].map((id) => product(id)))
  const renamed = Array.from({ length: 50 }, (_, index) => product(`new-${index}`))
  const report = await take([product('a'), ...renamed], { replace })
  t.match(report, { created: 50, deleted: 0, deletionRefused: /2 of the 3 records/ })
})

t.test('a record named in one batch is not missing in another', async (t) => {
  const lines = Array.from({ length: 5100 }, (_, index) => product(String(index)))
  await take([...lines, product('old')])
  t.match(await take(lines, { replace }), { unchanged: 5100, deleted: 1 })
})

t.test('a dry run counts as the import would, and writes nothing', async (t) => {
  await query(`alter table products add constraint no_bad check (name <> 'bad')`)
  t.teardown(() => query('alter table products drop constraint no_bad'))
  await take([
    ...['a', 'b', 'c', 'd', 'e'].map((id) => product(id)),
    certificate('x', { approval_status: 'revoked' }),
    product('a', { customer: 'other' }),
  ])
  const lines = [
    product('a', { brand: 'New' }),
    product('b'),
    product('d'),
    product('e'),
    certificate('x', { approval_status: 'pending' }),
    product('n'),
    product('n', { brand: 'twice' }),
    product('o', { customer: 'newcomer' }),
    ...Array.from({ length: 5000 }, (_, index) => product(`m-${index}`)),
    product('n', { brand: 'twice' }),
    product('m-7', { brand: 'changed' }),
  ]
  for (const more of [[], [product('p', { name: 'bad' }), 'broken']]) {
    const before = await fingerprint()
    const would = await take([...lines, ...more], { replace, dryRun: true })
    t.strictSame(await fingerprint(), before)
    t.equal(would.dryRun, true)
    const did = await take([...lines, ...more], { replace })
    t.strictSame({ ...would, dryRun: false }, did)
    if (more.length === 0)
      t.match(did, { created: 5002, updated: 4, deleted: 1, warnings: 1, customersCreated: 1 })
  }
})

t.test('a dry run leaves nothing behind on the connection that hides the real tables', async (t) => {
  await take([product('a')], { dryRun: true, replace })
  await take([product('a')])
  t.strictSame(await count(), ['acme a'])
  t.same(await query(`select relname from pg_class where relpersistence = 't'`), [])
})
