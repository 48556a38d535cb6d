import t from 'tap'
import { inTurn } from '../../../app/db/connect.ts'
import { toQueueOwner } from '../../../app/limits/address.ts'
import { sendBytes } from '../../api/sockets.ts'
import { closeAfter, createTestApp, createTestDatabase } from '../../helper.ts'

/** Promises of the whole service, for the two endpoints of this feature. */

const database = await createTestDatabase({ longestWaitMs: 1_000 })
const metricsToken = 'who-measures-has-this'
const app = await createTestApp(database, { env: { METRICS_TOKEN: metricsToken } })
closeAfter(t, app, database)
const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)

const api = '/v1/access-requests'
const formType = 'application/x-www-form-urlencoded'
const body = { company: 'a', name: 'a', email: 'a@b.example', message: 'a', consent: true }

t.test('a POST without a body is answered', async (t) => {
  for (const version of ['1.0', '1.1']) {
    const ask = async (path: string, type: string) => {
      const head = `POST ${path} HTTP/${version}\r\nHost: x\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\n`
      return (await sendBytes(port, head))[0]?.status
    }
    t.same([await ask(api, 'application/json'), await ask('/access', formType)], [400, 400], version)
  }
})

t.test('a body has at most 64 KiB, no content coding, and each member once', async (t) => {
  const fresh = await createTestApp(database)
  t.teardown(() => fresh.close())
  const post = (payload: string | Buffer, headers: Record<string, string> = {}) =>
    fresh.inject({
      method: 'POST',
      url: api,
      payload,
      headers: { 'content-type': 'application/json', ...headers },
    })
  const ofSize = (bytes: number) => `{"company":"${'x'.repeat(bytes - '{"company":""}'.length)}"}`
  t.equal((await post(ofSize(65_536))).statusCode, 400)
  t.equal((await post(ofSize(65_537))).statusCode, 413)
  const coded = await post(Buffer.from('1f8b', 'hex'), { 'content-encoding': 'gzip' })
  t.match([coded.statusCode, coded.headers['accept-encoding']], [415, 'identity'])
  const twice = await post('{"company": "a", "company": "b"}')
  t.match(twice.json(), { code: 'invalid_body', detail: /two members are named/ })
})

t.test('the faults of query and body are reported together', async (t) => {
  const fresh = await createTestApp(database)
  t.teardown(() => fresh.close())
  const payload = { company: 'a', name: 'b', message: 'c', consent: false }
  const answer = await fresh.inject({ method: 'POST', url: `${api}?limit=1`, payload })
  t.match(answer.json(), { code: 'invalid_query', detail: /^This address has no parameters/ })
  const faults: { parameter?: string; pointer?: string; code: string }[] = answer.json().errors
  t.same(
    faults.map(({ parameter, pointer, code }) => `${parameter ?? pointer} ${code}`),
    ['limit unknown_parameter', '/email invalid_value', '/consent invalid_value'],
  )
})

t.test('clients behind Fly are counted one by one, and the refusal is documented', async (t) => {
  const behind = await createTestApp(database, {
    env: {
      TRUSTED_PROXIES: '172.16.0.0/12',
      CLIENT_IP_HEADER: 'Fly-Client-IP',
      LIMIT_ACCESS_REQUESTS: '1',
    },
  })
  t.teardown(() => behind.close())
  const ask = async (client: string) => {
    const headers = {
      'fly-client-ip': client,
      'x-forwarded-for': `${client}, 66.241.124.7`,
      'x-forwarded-proto': 'https',
    }
    const sent = { method: 'POST', url: api, remoteAddress: '172.19.0.1', headers, payload: {} } as const
    return (await behind.inject(sent)).statusCode
  }
  t.same([await ask('192.0.2.1'), await ask('192.0.2.1'), await ask('192.0.2.2')], [400, 429, 400])
  const document = (await behind.inject('/openapi.json')).json()
  t.ok(document.paths[api].post.responses['429'])
})

t.test('addresses of one IPv6 network share a turn', async (t) => {
  const network = '2001:db8:0:1::'
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = inTurn(database.reserved, toQueueOwner(`${network}1`), () => promise)
  const proxied = await createTestApp(database, { env: { TRUSTED_PROXIES: '127.0.0.1' } })
  t.teardown(() => proxied.close())
  const ask = async (address: string) => {
    const headers = { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' }
    return (await proxied.inject({ method: 'POST', url: api, headers, payload: body })).statusCode
  }
  t.same(await Promise.all([ask(`${network}2`), ask('2001:db8:0:2::2')]), [503, 202])
  resolve()
  await held
})

t.test('no request creates a series of figures', async (t) => {
  const fresh = await createTestApp(database, { env: { METRICS_TOKEN: metricsToken } })
  t.teardown(() => fresh.close())
  const listSeries = async () => {
    const headers = { authorization: `Bearer ${metricsToken}` }
    const lines = (await fresh.inject({ url: '/metrics', headers })).body.split('\n')
    return lines.filter((line) => /^certdata_.+ \S+$/.test(line)).map((line) => line.replace(/ \S+$/, ''))
  }
  const before = await listSeries()
  t.ok(before.includes('certdata_access_requests_overdue'))
  await fresh.inject('/access')
  await fresh.inject(api)
  const payloads = [{}, { company: 'x'.repeat(70_000) }]
  for (const url of [api, '/access'])
    for (const payload of payloads) await fresh.inject({ method: 'POST', url, payload })
  const added = (await listSeries()).filter((each) => !before.includes(each))
  t.same(added, [])
})
