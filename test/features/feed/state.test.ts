import { once } from 'node:events'
import { sql } from 'kysely'
import t from 'tap'
import type { ResourceName } from '../../../app/records/resources/define.ts'
import { resources } from '../../../app/records/resources/index.ts'
import { sendBytes } from '../../api/sockets.ts'
import {
  allOver,
  client,
  database,
  insertProducts,
  records,
  running,
  start,
  terminate,
  writer,
} from '../../export/stage.ts'

/** The whole state is streamed like an export. */

const path = '/v1/changes?after=snapshot'

t.test('the state is of one snapshot, even during writes, and its token has the later writes', async (t) => {
  const { app, ask, token } = await start(t)
  const { response } = await ask(path)
  let lines = 0
  let isChanged = false
  for await (const chunk of response.setEncoding('utf8')) {
    if (!isChanged) {
      await writer.query('begin')
      await writer.query(`delete from products where customer_id = 'acme' and id > 'p5'`)
      await writer.query(`insert into products (customer_id, id, name) values ('acme', 'new', 'x')`)
      // The stream reads this resource later, with another statement.
      await writer.query(`insert into projects (customer_id, id, project_number, title)
        values ('acme', 'new', 'x', 'x')`)
      await writer.query('commit')
    }
    isChanged = true
    lines += chunk.split('\n').length - 1
  }
  t.equal(lines, records)
  const url = `/v1/changes?after=${response.headers['sync-token']}&limit=500`
  const { data } = (await app.inject({ url, headers: { authorization: `Bearer ${token}` } })).json()
  t.equal(data[0].op, 'delete')
  await client.query(
    `delete from projects; delete from products where customer_id = 'acme'; ${insertProducts}`,
  )
  await allOver()
})

t.test('a client that disconnects frees query and connection immediately', async (t) => {
  const { ask, readToken } = await start(t)
  const { sent, response } = await ask(path, await readToken('dense'))
  await once(response, 'readable')
  t.equal((await running()).length, 1)
  sent.destroy()
  await allOver()
})

t.test('a failure during the stream cuts it', async (t) => {
  const { ask, readToken } = await start(t)
  const { response } = await ask(path, await readToken('dense'))
  t.equal(response.statusCode, 200)
  response.on('error', () => {})
  await once(response, 'readable')
  await terminate()
  await t.rejects(response.toArray(), { message: 'aborted' })
  await allOver()
})

t.test('HEAD has the fields of GET, needs no connection of exports, and waits for no table', async (t) => {
  const { origin, token } = await start(t)
  const read = async (method: string, address: string, more: Record<string, string>) => {
    const headers = { authorization: `Bearer ${token}`, ...more }
    const stopping = new AbortController()
    const answer = await fetch(origin + address, { method, headers, signal: stopping.signal })
    stopping.abort()
    const names = [
      'content-type',
      'content-encoding',
      'content-length',
      'vary',
      'cache-control',
      'x-accel-buffering',
    ]
    return [answer.status, ...names.map((name) => answer.headers.get(name))]
  }
  for (const [address, accept] of [
    [`${path}&resources=products`, '*/*'],
    ['/v1/changes?resources=products', 'text/event-stream'],
  ] as const) {
    for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
      const more = { accept, 'accept-encoding': coding }
      const head = await read('HEAD', address, more)
      t.same(head, await read('GET', address, more), `${address} ${coding}`)
      t.equal(head[0], 200)
      await allOver()
    }
  }
  await writer.query('begin; lock table products in access exclusive mode')
  t.equal((await read('HEAD', `${path}&resources=products`, {}))[0], 200)
  await writer.query('rollback')
  await allOver()
})

t.test('counts as an export: at most two at the same time', async (t) => {
  const { app, ask, token } = await start(t, { EXPORT_POOL: '4' })
  const two = [await ask(path), await ask(path)]
  const third = await ask(path)
  t.equal(third.response.statusCode, 429)
  const problem = JSON.parse((await third.response.setEncoding('utf8').toArray()).join(''))
  t.match(problem, { code: 'quota_exceeded', 'violated-policies': ['exports'] })
  const head = await app.inject({ method: 'HEAD', url: path, headers: { authorization: `Bearer ${token}` } })
  t.equal(head.statusCode, 200)
  for (const { sent } of two) sent.destroy()
  await allOver()
})

t.test('over HTTP/1.0, whose end is not noticed, the state is refused', async (t) => {
  const { origin, token } = await start(t)
  const head = `GET ${path} HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
  const [answer] = await sendBytes(Number(new URL(origin).port), head)
  t.equal(answer?.status, 505)
})

t.test('objects within records are compact and in the schema’s order', async (t) => {
  const { app, readToken } = await start(t)
  const headers = { authorization: `Bearer ${await readToken('nested')}` }
  const get = (url: string) => app.inject({ url, headers })
  await client.query(`insert into certificates (customer_id, id, number, title, approval_status, validity_periods)
    select 'nested', 'c' || n, 'N', 'T', 'approved', '{"(2020-02-02,2021-02-02,initial)"}' from generate_series(1, 12) n`)
  const inOrder = (name: ResourceName, record: object) => JSON.stringify(resources[name].schema.parse(record))
  const state = await get(`${path}&resources=certificates`)
  const lines = state.body.trimEnd().split('\n')
  t.equal(lines.length, 12)
  for (const line of lines) {
    const { resource, data } = JSON.parse(line)
    t.ok(data.validity_periods.length > 0)
    t.ok(line.endsWith(`"data":${inOrder(resource, data)}}`))
  }
  await sql`update certificates set title = 'changed' where customer_id = 'nested'`.execute(database.operator)
  const after = encodeURIComponent(String(state.headers['sync-token']))
  const changed = await get(`/v1/changes?after=${after}&wait=5`)
  t.equal(changed.json().data.length, 12)
  t.equal(changed.body, JSON.stringify(changed.json()), 'changes, too')
})
