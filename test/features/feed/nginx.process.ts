import { hash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { sql } from 'kysely'
import t from 'tap'
import { addCustomer, connectOwner, createTestDatabase, listenTestApp, logIn, until } from '../../helper.ts'
import { skipsNginx, startNginx } from '../../nginx.ts'
import { selfSigned } from '../../self-signed.ts'
import { readEvents } from './event-stream.ts'

/** nginx in front of the service: with its defaults, and with `deploy/nginx.conf`. */

t.test('behind nginx', { skip: skipsNginx }, async (t) => {
  const database = await createTestDatabase()
  const env = { TRUSTED_PROXIES: '127.0.0.1,::1', CORS_ORIGINS: 'https://erp.example' }
  const { app, origin } = await listenTestApp(database, { env })
  const owner = connectOwner(database)
  t.teardown(async () => {
    await owner.destroy()
    app.server.closeAllConnections()
    await app.close()
    await database.close()
  })
  const apiKey = await addCustomer(database, 'acme', { scopes: ['products:read', 'changes:read'] })
  const { token } = await logIn(app, apiKey)
  const authorization = `Bearer ${token}`
  await sql`insert into products (customer_id, id, name, brand)
    select 'acme', 'p' || i, 'Product ' || i, repeat('x', 2000) from generate_series(1, 8000) i`.execute(
    database.operator,
  )
  const files = selfSigned(t)
  const port = Number(new URL(origin).port)
  const ask = async (nginxPort: number, path: string, headers: Record<string, string> = {}) => {
    const sent = request({
      port: nginxPort,
      path,
      rejectUnauthorized: false,
      agent: false,
      headers: { authorization, ...headers },
    }).end()
    sent.on('error', () => {})
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  }

  await t.test('with its defaults, events arrive, and the whole state is refused', async (t) => {
    const nginx = await startNginx(port)
    t.teardown(() => nginx.stop())
    const base = `http://127.0.0.1:${nginx.port}/v1/changes`
    for (const method of ['GET', 'HEAD']) {
      const refused = await fetch(`${base}?after=snapshot`, { method, headers: { authorization } })
      t.equal(refused.status, 505)
    }
    const stopping = new AbortController()
    const stream = await fetch(base, {
      headers: { authorization, accept: 'text/event-stream' },
      signal: stopping.signal,
    })
    const { events } = readEvents(stream.body as AsyncIterable<Uint8Array>)
    await until('events arrive: their ids show what is missing', () => events.length === 1)
    stopping.abort()
  })

  await t.test('with the shipped file, clients see that the state failed', async (t) => {
    const nginx = await startNginx(port, files)
    t.teardown(() => nginx.stop())
    const response = await ask(nginx.port, '/v1/changes?after=snapshot')
    t.equal(response.statusCode, 200)
    response.on('error', () => {})
    await once(response, 'readable')
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name ~ 'exports$' and state <> 'idle'`.execute(owner)
    await t.rejects(response.toArray(), { message: 'aborted' })
  })

  await t.test('with the shipped file, the head of a state with a long filter passes', async (t) => {
    const nginx = await startNginx(port, files)
    t.teardown(() => nginx.stop())
    const filter = hash('sha512', 'x').repeat(20).slice(0, 1988)
    const state = await ask(nginx.port, `/v1/changes?after=snapshot&resources=products&name=${filter}`, {
      origin: 'https://erp.example',
    })
    t.equal(state.statusCode, 200)
    t.ok(state.headers['sync-token'])
    state.resume()
  })

  await t.test('with the shipped file, events arrive immediately', async (t) => {
    const nginx = await startNginx(port, files)
    t.teardown(() => nginx.stop())
    const response = await ask(nginx.port, '/v1/changes?resources=products', { accept: 'text/event-stream' })
    const { events } = readEvents(response)
    await until('the first event', () => events.length === 1)
    await sql`update products set name = 'new' where customer_id = 'acme' and id = 'p1'`.execute(
      database.operator,
    )
    await until('the change', () => events.length === 2)
    response.destroy()
  })
})
