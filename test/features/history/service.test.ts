import { sql } from 'kysely'
import t from 'tap'
import { namedScopes } from '../../../app/identity/scopes.ts'
import { findReferenceLink } from '../../../app/site/reference-link.ts'
import { accidents } from '../../api/accidents.ts'
import {
  anyOf,
  fill,
  findLink,
  mostHeadBytes,
  mostTargetBytes,
  openHeads,
  publicUrl,
  unreserved,
} from '../../api/heads.ts'
import { createCommandLine } from '../../command-line.ts'
import { addOwnParts, marker } from '../../db/additions.ts'
import { listVersions } from '../../db/fixtures/release.ts'
import { openUpgraded } from '../../db/upgraded.ts'
import {
  addCustomer,
  asCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  logIn,
  publicUrl as testUrl,
} from '../../helper.ts'

/** Promises of the whole service, for the endpoints of this feature. */

const database = await createTestDatabase()
const app = await createTestApp(database)
const owner = connectOwner(database)
closeAfter(t, app, owner, database)
const run = (text: string) => sql.raw(text).execute(owner)

t.test('accidents of a client are refused, and a proposed address contains none', async (t) => {
  const { get } = await asCustomer(database, app, 'accidents')
  for (const accident of accidents) {
    const value = encodeURIComponent(accident)
    t.equal((await get(`/v1/history?cursor=${value}`)).statusCode, 400, accident)
    const answer = await get(`/v1/history?lmit=5&since=${value}`)
    t.equal(answer.statusCode, 400, accident)
    const { try: address } = answer.json() as { try?: string }
    if (address === undefined) continue
    t.equal((await get(address.slice(testUrl.length))).statusCode, 200, `${accident}: ${address}`)
  }
})

t.test('heads have at most 3.5 KiB', async (t) => {
  const heads = await openHeads(t, namedScopes)
  const { request } = heads
  const { operator } = heads.database
  // The longest id.
  const longId = `h${anyOf(unreserved, 63)}`
  await sql`insert into products (customer_id, id, name) values ('acme', ${longId}, 'one')`.execute(operator)
  await sql`update products set name = 'two' where customer_id = 'acme' and id = ${longId}`.execute(operator)
  for (const path of [
    `/v1/products/${longId}/history?limit=1`,
    '/v1/history?limit=1&since=2000-01-01&resource=certificates,products,projects,lab,approvals',
  ]) {
    t.ok(path.length <= mostTargetBytes)
    for (const method of ['GET', 'HEAD']) {
      const { head, status, body } = await request(path, 'Accept-Encoding: gzip\r\n', method)
      t.equal(status, 200, `${path} ${body.slice(0, 300)}`)
      t.ok(head.length <= mostHeadBytes, `${path}: ${head.length} bytes`)
    }
    const next = findLink((await request(path)).head)?.slice(publicUrl.length) as string
    const second = await request(next)
    t.equal(second.status, 200, `${path}, second page`)
    t.ok(second.head.length <= mostHeadBytes)
  }
  const mark = 'mark'
  const long = fill('/v1/history?lmit=2&since=', (room) => mark.repeat(Math.floor(room / mark.length)))
  const refused = await request(long)
  t.equal(refused.status, 400)
  t.ok(refused.head.length <= mostHeadBytes, `${refused.head.length} bytes`)
  t.ok(refused.head.split(mark).length <= long.split(mark).length, 'the query is at most once in the head')
})

t.test('a deleted country keeps its history', async (t) => {
  const { get } = await asCustomer(database, app, 'countries')
  await run(`insert into countries (id, code, alpha3, name, region, requirements)
    values ('QQ', 'QQ', 'QQQ', 'Old', 'europe', '(,,,,,)')`)
  await run(`update countries set name = 'New' where id = 'QQ'`)
  await run(`delete from countries where id = 'QQ'`)
  t.same(
    (await get('/v1/countries/QQ/history')).json().data.map(({ op }: { op: string }) => op),
    ['delete', 'update', 'create'],
  )
})

t.test('forget asks first', async (t) => {
  const { cli } = createCommandLine({ DATABASE_URL: database.url })
  await asCustomer(database, app, 'asked')
  await run(`insert into products (customer_id, id, name) values ('asked', 'p', 'one')`)
  await run(`update products set name = 'two' where customer_id = 'asked'`)
  const alone = await cli('history', 'forget', 'asked', 'products', 'p')
  t.match(alone, { code: 1, stdout: '', stderr: /previous values of products\/p of asked/ })
  t.match(alone.stderr, /Nothing was done: without a terminal, add --yes\n$/)
  const { rows } = await sql`select from record_history where customer_id = 'asked'`.execute(owner)
  t.equal(rows.length, 1)
})

t.test('a request for a history has a place in the reference', async (t) => {
  const link = findReferenceLink(app.describedRoutes, '/v1/certificates/crt-1/history')
  t.equal(link, '/docs#tag/history/GET/v1/certificates/{id}/history')
})

t.test('columns and tables of the operator show in no history', async (t) => {
  const added = await createTestDatabase()
  const operator = connectOwner(added)
  closeAfter(t, operator, added)
  const write = (text: string) => sql.raw(text).execute(operator)
  const apiKey = await addCustomer(added, 'acme')
  const readAll = async () => {
    const service = await createTestApp(added)
    t.teardown(() => service.close())
    const { get } = await logIn(service, apiKey)
    return Promise.all(
      ['/v1/history', '/v1/products/p/history'].map(async (path) => (await get(path)).json()),
    )
  }
  await write(`insert into products (customer_id, id, name) values ('acme', 'p', 'one')`)
  await write(`update products set name = 'two'`)
  const before = await readAll()
  await addOwnParts(operator)
  t.strictSame(await readAll(), before)
  await write(`update products set operator_note = 'paid'`)
  t.strictSame(await readAll(), before)
  await write(`update products set id = 'q'`)
  await write('delete from products')
  const after = JSON.stringify(await readAll())
  t.match(after, '"op":"delete"')
  t.notMatch(after, marker)
  t.notMatch(after, 'operator_sum')
})

t.test('the history of an upgraded database is readable', async (t) => {
  for (const version of listVersions()) {
    const { database: upgraded, answers } = await openUpgraded(t, version)
    const service = await createTestApp(upgraded)
    t.teardown(() => service.close())
    const { get } = await logIn(service, String(answers.apiKey))
    const { data } = (await get('/v1/products/p1/history')).json()
    t.match(
      data,
      [{ op: 'update', changes: { name: { from: 'Lamp', to: 'Lamp 2' } } }, { op: 'create' }],
      version,
    )
  }
})
