import t, { type Test } from 'tap'
import { namedScopes } from '../../../app/identity/scopes.ts'
import { accidents } from '../../api/accidents.ts'
import { anyOf, fill, findLink, mostHeadBytes, openHeads, publicUrl, unreserved } from '../../api/heads.ts'
import { sendBytes } from '../../api/sockets.ts'
import { addCustomer, asCustomer, createTestApp, createTestDatabase, until } from '../../helper.ts'
import { listLimits } from '../../limits/structured-fields.ts'
import { createDocumentChecks, type DocumentNode } from '../../openapi-document.ts'

/** Promises of the whole service, for the endpoint of this feature. */

const database = await createTestDatabase()
t.teardown(() => database.close())
const scopes = ['products:read', 'audit:read']
let customers = 0
const open = async (test: Test, env: Record<string, string> = {}) => {
  const app = await createTestApp(database, { env, clock: { offsetMs: 0, isStopped: true } })
  test.teardown(() => app.close())
  const customer = await asCustomer(database, app, `customer-${++customers}`, { scopes })
  return { app, ...customer }
}

t.test('accidents of a client are refused, and a proposed address contains none', async (t) => {
  const { get } = await open(t, { LIMIT_PREMIUM_BURST: '1000', LIMIT_PREMIUM_MINUTE: '1000' })
  for (const accident of accidents) {
    const value = encodeURIComponent(accident)
    t.equal((await get(`/v1/audit?cursor=${value}`)).statusCode, 400, accident)
    const answer = await get(`/v1/audit?lmit=5&since=${value}`)
    t.equal(answer.statusCode, 400, accident)
    const { try: address } = answer.json() as { try?: string }
    if (address === undefined) continue
    t.equal((await get(address.replace(/^https?:\/\/[^/]+/, ''))).statusCode, 200, `${accident}: ${address}`)
  }
})

t.test('heads have at most 3.5 KiB', async (t) => {
  const { app, request } = await openHeads(t, namedScopes)
  await request('/v1/products')
  await app.audit.flush()
  await until('the trail has a second page', async () => {
    await app.audit.seal(true)
    return JSON.parse((await request('/v1/audit?limit=1')).body).page.has_more
  })
  const path = '/v1/audit?limit=1&action=login,reads'
  for (const method of ['GET', 'HEAD']) {
    const { head, status, body } = await request(path, 'Accept-Encoding: gzip\r\n', method)
    t.equal(status, 200, body.slice(0, 300))
    t.ok(head.length <= mostHeadBytes, `${head.length} bytes`)
    t.ok(findLink(head), 'there is a next page')
  }
  const next = findLink((await request(path)).head)?.slice(publicUrl.length) as string
  const second = await request(next)
  t.equal(second.status, 200)
  t.ok(second.head.length <= mostHeadBytes)
  const keys = Array.from({ length: 100 }, () => anyOf(unreserved, 18)).join()
  const none = await request(`/v1/audit?limit=1&key=${keys}`)
  t.equal(none.status, 200)
  t.ok(none.head.length <= mostHeadBytes)

  const mark = 'mark'
  const long = fill('/v1/audit?lmit=2&key=', (room) => mark.repeat(Math.floor(room / mark.length)))
  const refused = await request(long)
  t.equal(refused.status, 400)
  t.ok((JSON.parse(refused.body) as { try?: string }).try)
  t.ok(refused.head.length <= mostHeadBytes, `${refused.head.length} bytes`)
  t.ok(refused.head.split(mark).length <= long.split(mark).length, 'the query is at most once in the head')
})

t.test('the demo token is refused before the quota, but counted', async (t) => {
  await addCustomer(database, 'demo')
  const { app } = await open(t, { LIMIT_DEMO_BURST: '5', LIMIT_DEMO_MINUTE: '60' })
  const headers = { authorization: 'Bearer cda_demo_public', accept: 'image/png' }
  const ask = (url: string, method: 'GET' | 'HEAD' | 'POST' = 'GET') => app.inject({ url, method, headers })
  const answers = [
    await ask('/v1/audit?nonsense=1'),
    await ask('/audit'),
    await ask('/webapi/v1/api.php/audit'),
    await ask('/v1/audit', 'HEAD'),
    await ask('/v1/audit', 'POST'),
    await ask('/v1/audit'),
  ]
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [403, 403, 403, 403, 405, 403],
  )
  t.same(
    answers.map((answer) => listLimits(answer).burst?.r),
    [4, 3, 2, 1, 0, 0],
  )
  t.match(answers[0]?.json(), { code: 'live_token_required' })
  t.equal(answers[0]?.headers['www-authenticate'], undefined, 'another scope would not help')
  t.equal((await ask('/v1/products')).statusCode, 429)
})

t.test('a refused export costs one unit of minute, and an export ten', async (t) => {
  const { get } = await open(t, { LIMIT_PREMIUM_BURST: '100', LIMIT_PREMIUM_MINUTE: '25' })
  const ask = async (path: string) => {
    const answer = await get(path)
    return [answer.statusCode, listLimits(answer).minute?.r]
  }
  t.same(await ask('/v1/audit?format=ndjson&limit=0'), [400, 24])
  t.same(await ask('/v1/audit?format=csv'), [406, 23])
  t.same(await ask('/v1/audit?format=ndjson'), [200, 13])
  t.same(await ask('/v1/audit'), [200, 12])
})

t.test('answers match the document, which names the refusal of the demo token', async (t) => {
  const { app, get } = await open(t)
  await get('/v1/products')
  await app.audit.flush()
  await app.audit.seal(true)
  const served = await app.inject('/openapi.json')
  const { resolve, validate, listFaults } = createDocumentChecks(served)
  const page = await get('/v1/audit')
  t.ok(page.json().data.length > 0)
  t.same(listFaults('/v1/audit', 'get', page), [])
  const { body } = await get('/v1/audit?format=ndjson')
  const lines = body.trimEnd().split('\n')
  const schema = { $ref: '#/components/schemas/AuditEntry' } as DocumentNode
  t.same(
    lines.flatMap((line) => validate(schema, JSON.parse(line))),
    [],
  )
  const refusal = resolve(served.json().paths['/v1/audit'].get.responses[403])
  t.match(JSON.stringify(refusal), 'live_token_required')
})

t.test('over HTTP/1.0, whose end is not noticed, lines are refused', async (t) => {
  const { app, token } = await open(t)
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  const head = `GET /v1/audit?format=ndjson HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
  const [answer] = await sendBytes(port, head)
  t.equal(answer?.status, 505)
})
