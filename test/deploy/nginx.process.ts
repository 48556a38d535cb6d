import { hash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, constants } from 'node:http2'
import { request } from 'node:https'
import { sql } from 'kysely'
import t from 'tap'
import { sendBytes } from '../api/sockets.ts'
import { addCustomer, connectOwner, createTestDatabase, listenTestApp, logIn, secretKey } from '../helper.ts'
import { skipsNginx, startNginx } from '../nginx.ts'
import { selfSigned } from '../self-signed.ts'
import { startService, untilReady } from '../service.ts'

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
  const apiKey = await addCustomer(database, 'acme', {
    scopes: ['products:read', 'changes:read'],
  })
  const { token } = await logIn(app, apiKey)
  const authorization = `Bearer ${token}`
  await sql`insert into products (customer_id, id, name, brand)
    select 'acme', 'p' || i, 'Product ' || i, repeat('x', 2000) from generate_series(1, 8000) i`.execute(
    database.operator,
  )
  const files = selfSigned(t)
  const port = Number(new URL(origin).port)

  await t.test('with its defaults, refuses streams whose cut would not be noticed', async (t) => {
    const nginx = await startNginx(port)
    t.teardown(() => nginx.stop())
    const get = (path: string, method = 'GET') =>
      fetch(`http://127.0.0.1:${nginx.port}${path}`, { method, headers: { authorization } })
    for (const path of ['/v1/products?format=csv', '/v1/products?format=xlsx']) {
      const answer = await get(path)
      t.equal(answer.status, 505, path)
      const problem = (await answer.json()) as { code: string; detail: string }
      t.equal(problem.code, 'http_version_not_supported')
      t.match(problem.detail, 'proxy_http_version 1.1', 'the reason names the setting')
      t.equal((await get(path, 'HEAD')).status, 505)
    }
    const basic = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`
    const login = ['POST /v1/auth/login HTTP/1.1', 'Host: x', 'Content-Type: application/json']
    const bytes = [...login, `Authorization: ${basic}`, 'Connection: close', '', ''].join('\r\n')
    t.equal((await sendBytes(nginx.port, bytes))[0]?.status, 200, 'a login without a body')
    const page = await get('/v1/products?limit=2')
    t.equal(((await page.json()) as { data: unknown[] }).data.length, 2, 'pages have a length')
  })

  await t.test('with its defaults, heads for addresses of 2 KiB fit into its buffer', async (t) => {
    const nginx = await startNginx(port)
    t.teardown(() => nginx.stop())
    const ids = Array.from({ length: 200 }, (_, n) => `p${String(n + 1).padStart(6, '0')}`)
    const text = hash('sha512', 'x').repeat(20)
    for (const path of [
      `/products?id=${ids.join()}&limit=50`,
      `/products?limit=5&id[nin]=${ids.join()}`,
      `/webapi/v1/api.php/products?limit=5&name[ne]=${text.slice(0, 1980)}`,
    ]) {
      const answer = await fetch(`http://127.0.0.1:${nginx.port}${path}`, {
        headers: { authorization, origin: 'https://erp.example' },
      })
      t.equal(answer.status, 200, path.slice(0, 60))
      const { page } = (await answer.json()) as { page: { has_more: boolean } }
      t.equal(answer.headers.get('link')?.includes('rel="next"') ?? false, page.has_more)
    }
    const far = Array.from({ length: 180 }, (_, n) => hash('sha256', `${n}`).slice(0, 40)).join()
    const long = await fetch(`http://127.0.0.1:${nginx.port}/v1/products?limit=5&id[nin]=${far}`, {
      headers: { authorization },
    })
    t.equal(long.status, 502, 'nginx refuses a larger head')
  })

  const ask = async (at: number, path: string, headers = {}) => {
    const sent = request({
      port: at,
      host: 'localhost',
      path,
      rejectUnauthorized: false,
      agent: false,
      headers: { authorization, ...headers },
    }).end()
    sent.on('error', () => {})
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  }
  const terminate = async () => {
    const { rows } = await sql<{ n: number }>`select count(pg_terminate_backend(pid))::int as n
      from pg_stat_activity where datname = current_database() and application_name ~ 'exports$'
      and state <> 'idle'`.execute(owner)
    return rows[0]?.n
  }

  await t.test('with the shipped file, clients see that an export failed', async (t) => {
    const nginx = await startNginx(port, files)
    t.teardown(() => nginx.stop())
    const whole = await ask(nginx.port, '/v1/products?format=ndjson&limit=100')
    t.equal((await whole.setEncoding('utf8').toArray()).join('').split('\n').length, 101)
    for (const path of ['/v1/products?format=csv', '/v1/products?format=ndjson']) {
      const response = await ask(nginx.port, path)
      t.equal(response.statusCode, 200)
      response.on('error', () => {})
      await once(response, 'readable')
      t.equal(await terminate(), 1)
      await t.rejects(response.toArray(), { message: 'aborted' }, `HTTP/1.1 ${path}`)
    }
    const session = connect(`https://localhost:${nginx.port}`, { rejectUnauthorized: false })
    session.on('error', () => {})
    t.teardown(() => session.destroy())
    const stream = session.request({ ':path': '/v1/products?format=csv', authorization })
    stream.on('error', () => {})
    await once(stream, 'readable')
    t.equal(await terminate(), 1)
    await t.rejects(stream.toArray(), { code: 'ERR_HTTP2_STREAM_ERROR' })
    t.not(stream.rstCode, constants.NGHTTP2_NO_ERROR)
  })

  await t.test('with the shipped file, large heads pass', async (t) => {
    const nginx = await startNginx(port, files)
    t.teardown(() => nginx.stop())
    const far = Array.from({ length: 180 }, (_, n) => hash('sha256', `${n}`).slice(0, 40)).join()
    const page = await ask(nginx.port, `/v1/products?limit=5&id[nin]=${far}`)
    t.equal(page.statusCode, 200)
    t.match(page.headers.link, 'rel="next"')
    page.resume()
  })

  await t.test('with the shipped file, clients see that the service was killed', async (t) => {
    const service = await startService({ DATABASE_URL: database.url, SECRET_KEY: secretKey, ...env })
    t.teardown(() => service.stop('SIGKILL'))
    await untilReady(service)
    const nginx = await startNginx(service.port, files)
    t.teardown(() => nginx.stop())
    const login = await fetch(`${service.base}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: apiKey }),
    })
    const { access_token } = (await login.json()) as { access_token: string }
    const response = await ask(nginx.port, '/v1/products?format=csv', {
      authorization: `Bearer ${access_token}`,
    })
    t.equal(response.statusCode, 200)
    response.on('error', () => {})
    await once(response, 'readable')
    await service.stop('SIGKILL')
    await t.rejects(response.toArray(), { message: 'aborted' })
  })
})
