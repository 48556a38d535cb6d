import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { fingerprintQuery } from '../../../app/audit/read-counts.ts'
import { createSecrets } from '../../../app/config/secrets.ts'
import { namedScopes } from '../../../app/identity/scopes.ts'
import { importRecords } from '../../../app/import/index.ts'
import { loadReferenceData } from '../../../app/local/reference/load.ts'
import { accidents } from '../../api/accidents.ts'
import { anyOf, fill, mostHeadBytes, openHeads, unreserved } from '../../api/heads.ts'
import { createCommandLine } from '../../command-line.ts'
import { addOwnParts, marker } from '../../db/additions.ts'
import {
  addCustomer,
  asCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  logIn,
  publicUrl,
} from '../../helper.ts'

/** Promises of the whole service, for the endpoint of this feature. */

const database = await createTestDatabase()
const app = await createTestApp(database)
const owner = connectOwner(database)
closeAfter(t, app, owner, database)
const run = (text: string) => sql.raw(text).execute(owner)
const examples = readFileSync(join(import.meta.dirname, '../../../examples/records.ndjson'))
const readTotal = async (name: string) => {
  const { text } = await app.metrics.read()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

t.test('accidents of a client are refused, and a proposed address contains none', async (t) => {
  const { get } = await asCustomer(database, app, 'accidents')
  for (const accident of accidents) {
    const value = encodeURIComponent(accident)
    t.equal((await get(`/v1/changes?after=${value}`)).statusCode, 400, accident)
    const names = ['name', 'brand', 'tags', 'id']
    const filters = names.map((name) => `${name}=${value}`).join('&')
    const { errors } = (await get(`/v1/changes?resources=products&${filters}`)).json()
    const named = new Set(errors.map(({ parameter }: { parameter: string }) => parameter))
    t.same(named, new Set(names), accident)
    const answer = await get(`/v1/changes?lmit=5&since=${value}`)
    t.equal(answer.statusCode, 400, accident)
    const { try: address } = answer.json() as { try?: string }
    if (address === undefined) continue
    t.equal((await get(address.slice(publicUrl.length))).statusCode, 200, `${accident}: ${address}`)
  }
})

t.test('heads have at most 3.5 KiB', async (t) => {
  const { request } = await openHeads(t, namedScopes)
  const mark = 'mark'
  const long = fill('/v1/changes?resources=products&nme=', (room) =>
    mark.repeat(Math.floor(room / mark.length)),
  )
  const refused = await request(long)
  t.equal(refused.status, 400)
  t.ok(refused.head.length <= mostHeadBytes, `${refused.head.length} bytes`)
  t.ok(refused.head.split(mark).length <= long.split(mark).length, 'the query is at most once in the head')
  const start = '/changes?after=snapshot&resources=products&name='
  for (const make of [
    (room: number) => anyOf(unreserved, room),
    (room: number) => anyOf('ABCDEFGHIJKLMNOP', room),
    (room: number) => '%C3%A4'.repeat(room / 6),
  ]) {
    for (const prefix of ['/v1', '', '/webapi/v1/api.php']) {
      const { head, status } = await request(prefix + start + make(1_988), 'Accept-Encoding: br\r\n')
      t.equal(status, 200)
      t.ok(head.length <= mostHeadBytes, `${head.length} bytes`)
      const synced = /sync-token: (\S+)/.exec(head)?.[1] as string
      const page = await request(`/v1/changes?after=${synced}`)
      t.equal(page.status, 200, 'the token goes on')
    }
  }
})

t.test(
  'pages and the whole state have Data-As-Of, also for HEAD, and mark nothing as deprecated',
  async (t) => {
    const { get, token } = await asCustomer(database, app, 'acme')
    const { next_token: sync } = (await get('/v1/changes')).json().page
    const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
    for (const url of [`/v1/changes?after=${sync}`, '/v1/changes?after=snapshot']) {
      for (const method of ['GET', 'HEAD'] as const) {
        const headers = { authorization: `Bearer ${token}` }
        const answer = await app.inject({ method, url, headers })
        t.equal(answer.statusCode, 200, url)
        t.match(answer.headers['data-as-of'], instant, `${method} ${url}`)
        t.notOk('deprecation' in answer.headers || 'sunset' in answer.headers)
      }
    }
  },
)

t.test('the suggested address returns an answer', async (t) => {
  const { get } = await asCustomer(database, app, 'suggested')
  const { next_token: token } = (await get('/v1/changes')).json().page
  const suggest = async (path: string) => {
    const answer = await get(path)
    t.equal(answer.statusCode, 400, path)
    return answer.json().try as string | undefined
  }
  for (const query of ['aftr=abc', `aftr=${token}&resources=lab`, 'resources=products&name[=x', 'q=aa'])
    t.equal(await suggest(`/v1/changes?${query}`), undefined, query)
  const found = await suggest(`/v1/changes?aftr=${token}`)
  t.equal((await get((found ?? '').slice(publicUrl.length))).statusCode, 200)
})

t.test('the latency of the objective contains no polls', async (t) => {
  const { get } = await asCustomer(database, app, 'polls')
  const name = 'certdata_data_duration_seconds_count'
  const before = await readTotal(name)
  t.equal((await get('/v1/changes')).statusCode, 200)
  t.equal(await readTotal(name), before)
  await get('/v1/products/none')
  await get('/v1/products')
  t.equal(await readTotal(name), before + 1)
})

t.test('requests of the feed have one series of metrics for each status', async (t) => {
  const { get } = await asCustomer(database, app, 'series')
  const list = async () => {
    const { text } = await app.metrics.read()
    return text.split('\n').flatMap((line) => /^(certdata_.+) \S+$/.exec(line)?.[1] ?? [])
  }
  await get('/v1/changes')
  await get('/v1/changes?after=x')
  const before = await list()
  for (const query of ['after=y', 'x=1', 'resources=none', 'limit=5&after=z'])
    await get(`/v1/changes?${query}`)
  t.same(await list(), before)
  t.ok(before.includes('certdata_feed_waiters'))
})

t.test('all sync tokens are one query in the audit trail, and the whole state another', async (t) => {
  const secrets = createSecrets(['s'.repeat(32)])
  const of = (target: string) => fingerprintQuery(secrets, target)
  for (const name of ['after', 'lastEventId'])
    t.equal(of(`/v1/changes?limit=1&${name}=xyz`), of('/v1/changes?limit=1'), name)
  t.not(of('/v1/changes?after=snapshot&wait=25'), of('/v1/changes?after=x&wait=25'))
  t.not(of('/v1/custom/x?after=0'), of('/v1/custom/x?after=1'), 'only of the feed')
})

t.test('pages count their records in the audit trail, immediately or after a wait', async (t) => {
  const { get } = await asCustomer(database, app, 'counted')
  await run(
    `insert into products (customer_id, id, name) select 'counted', 'p' || n, 'P' from generate_series(1, 3) n`,
  )
  const begun = (await get('/v1/changes?resources=products')).json().page.next_token
  await run(`update products set brand = 'counted' where customer_id = 'counted'`)
  await app.audit.flush()
  const { data } = (await get(`/v1/changes?after=${begun}`)).json()
  t.equal(data.length, 3)
  await get(`/v1/changes?after=${begun}&wait=5`)
  await app.audit.flush()
  const { cli } = createCommandLine({ DATABASE_URL: database.url })
  const { stdout } = await cli('audit', 'list', '--customer', 'counted', '--limit', '2', '--json')
  type Read = { action: string; details: { resource: string; count: number; rows: number } }
  const reads = (JSON.parse(stdout) as Read[]).map(({ details }) => [
    details.resource,
    details.count,
    details.rows,
  ])
  t.same(
    reads,
    [0, 1].map(() => ['changes', 1, 3]),
  )
})

t.test('columns and tables of the operator show in no change', async (t) => {
  const added = await createTestDatabase()
  const operator = connectOwner(added)
  closeAfter(t, operator, added)
  const write = (text: string) => sql.raw(text).execute(operator)
  await loadReferenceData(added.operator)
  const apiKey = await addCustomer(added, 'acme')
  await importRecords(added.operator, ReadableStream.from([examples]), { customer: 'acme' })
  const openClient = async () => {
    const service = await createTestApp(added)
    t.teardown(() => service.close())
    return logIn(service, apiKey)
  }
  const readState = async () => {
    const { get } = await openClient()
    return get('/v1/changes?after=snapshot')
  }
  const before = await readState()
  await addOwnParts(operator)
  const state = await readState()
  t.equal(state.body, before.body)
  await write(`update products set operator_note = 'paid'`)
  await write(`update products set name = 'Acme Gateway 102' where id = 'P-100'`)
  await write(`update products set id = 'P-111' where id = 'P-110'`)
  await write('delete from lab')
  const { get } = await openClient()
  const changes = await get(`/v1/changes?after=${state.headers['sync-token']}&previous=true`)
  t.equal(changes.statusCode, 200)
  t.ok(changes.json().data.length > 3)
  t.notMatch(changes.body, marker)
  t.notMatch(changes.body, 'operator_sum')
})

t.test('prune asks first', async (t) => {
  const { cli } = createCommandLine({ DATABASE_URL: database.url })
  const alone = await cli('changes', 'prune')
  t.match(alone, { code: 1, stdout: '', stderr: /older than 90 days/ })
  t.match(alone.stderr, /Nothing was done: without a terminal, add --yes\n$/)
})
