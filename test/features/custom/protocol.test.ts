import t from 'tap'
import { namedScopes, toCustomScope } from '../../../app/identity/scopes.ts'
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
import { until } from '../../helper.ts'
import { createStage } from './stage.ts'

/** The rules that all lists follow: accidents of clients are refused, heads are short, and answers have their time. */

const { database, request } = await openHeads(t, [...namedScopes, toCustomScope('by-brand')])
const stage = createStage(database)
await stage.run(`insert into products (customer_id, id, name, model, brand)
  select 'acme', 'prd-' || lpad(i::text, 4, '0'), 'Product ' || i, 'M' || i, 'B' from generate_series(1, 400) i`)
const ids = Array.from({ length: 200 }, (_, n) => `prd-${String(n + 1).padStart(4, '0')}`)

const path = '/v1/custom/by-brand'
await stage.give(
  'acme',
  `
name: by-brand
revision: 1
params:
  model: { type: string, optional: true }
  least: { type: integer, optional: true }
  day: { type: date, optional: true }
  yes: { type: boolean, optional: true }
  kind: { type: string, enum: [a, b], optional: true }
list:
  from: products
  where: { 'model[ne]': $model }
  filters: [brand, name, product_status, id]
  select: { id: id, brand: brand }
`,
)
await until('the endpoint is live', async () => (await request(path)).status === 200)

type Problem = { errors?: { parameter: string }[]; try?: string }
const readProblem = (body: string) => JSON.parse(body) as Problem

t.test('no parameter of a custom endpoint takes an accident of a client as a value', async (t) => {
  const parameters = ['model', 'least', 'day', 'yes', 'kind']
  const names = [...parameters, 'brand', 'name', 'product_status', 'limit', 'count', 'format']
  for (const accident of accidents) {
    const value = encodeURIComponent(accident)
    const { status, body } = await request(`${path}?${names.map((name) => `${name}=${value}`).join('&')}`)
    t.equal(status, 400, accident)
    const { errors = [] } = readProblem(body)
    t.same(new Set(errors.map(({ parameter }) => parameter)), new Set(names), accident)
    t.equal((await request(`${path}?cursor=${value}`)).status, 400, `cursor=${accident}`)
  }
})

t.test('heads of a custom list have at most 3.5 KiB', async (t) => {
  const addresses = {
    'a filter': fill(`${path}?limit=2&name[ne]=`, (room) => anyOf(unreserved, room)),
    'a parameter': fill(`${path}?limit=2&model=`, (room) => '%C3%A4'.repeat(room / 6)),
    ids: `${path}?limit=2&id=${ids.join()}`,
  }
  for (const [name, address] of Object.entries(addresses)) {
    t.ok(address.length <= mostTargetBytes, `${name} has ${address.length} bytes`)
    for (const method of ['GET', 'HEAD']) {
      const { head, status, body } = await request(address, 'Accept-Encoding: gzip\r\n', method)
      t.equal(status, 200, `${name} ${body.slice(0, 300)}`)
      t.ok(head.length <= mostHeadBytes, `${name}: ${head.length} bytes`)
      t.ok(findLink(head), `${name} has a next page`)
    }
    const next = findLink((await request(address)).head)?.slice(publicUrl.length) as string
    const second = await request(next)
    t.equal(second.status, 200, `${name}, second page`)
    t.ok(second.head.length <= mostHeadBytes)
  }
})

t.test('a refusal of a custom list has a head of at most 3.5 KiB, and the query at most once', async (t) => {
  const mark = 'mark'
  const long = fill(`${path}?limit=2&nme[ne]=`, (room) => mark.repeat(Math.floor(room / mark.length)))
  const { head, status, body } = await request(long)
  t.equal(status, 400)
  t.ok(readProblem(body).try)
  t.ok(head.length <= mostHeadBytes, `${head.length} bytes`)
  t.ok(head.split(mark).length - 1 <= long.split(mark).length - 1, 'the query is at most once in the head')
})

t.test('every answer of a custom endpoint has Data-As-Of, including 304 and HEAD', async (t) => {
  const readTime = (head: string) => /^data-as-of: (\S+)\r$/im.exec(head)?.[1] ?? ''
  for (const address of [path, '/webapi/v1/api.php/custom/by-brand', `${path}?format=csv`]) {
    const { head, status } = await request(address)
    t.equal(status, 200, address)
    t.match(readTime(head), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/, address)
    t.ok(readTime((await request(address, '', 'HEAD')).head) >= readTime(head), `HEAD ${address}`)
    const etag = /^etag: (.+)\r$/im.exec(head)?.[1]
    if (etag === undefined) continue
    const same = await request(address, `If-None-Match: ${etag}\r\n`)
    t.equal(same.status, 304)
    t.ok(readTime(same.head) >= readTime(head), 'and it never goes back')
  }
})
