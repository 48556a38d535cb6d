import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { addCustomer, createTestDatabase, lockProducts, secretKey, until } from '../helper.ts'
import { selfSigned } from '../self-signed.ts'
import { startService } from '../service.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const apiKey = await addCustomer(database, 'acme')

const { cert, key } = selfSigned(t)

/** After GOAWAY, the client's library refuses requests that it has not sent yet. */
const unsent = 'not sent'

/** Rejects if the response is incomplete. */
const ask = async (session: ClientHttp2Session, headers: Record<string, string>, body?: string) => {
  const stream = session.request(headers, { endStream: body === undefined })
  const answered = Promise.race([once(stream, 'response'), once(stream, 'close')])
  if (body !== undefined) stream.end(body)
  const text = stream.setEncoding('utf8').toArray()
  text.catch(() => {})
  const [answer] = await answered
  if (!answer) throw new Error('closed without an answer')
  return { status: Number(answer[':status']), body: (await text).join('') }
}

t.test('SIGTERM sends GOAWAY over HTTP/2, and every request is answered', async (t) => {
  const service = await startService({
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    TLS_CERT: cert,
    TLS_KEY: key,
    DRAIN_SECONDS: '6',
    LIMIT_PREMIUM_BURST: '100000',
    LIMIT_PREMIUM_MINUTE: '100000',
  })
  t.teardown(() => service.stop('SIGKILL'))
  const open = async (): Promise<ClientHttp2Session> => {
    const session = connect(`https://localhost:${service.port}`, { rejectUnauthorized: false })
    session.on('error', () => {})
    t.teardown(() => session.destroy())
    await once(session, 'connect')
    return session
  }
  await service.printed(/Server listening at https:/)
  let first: ClientHttp2Session | undefined
  await until(
    'it is ready',
    async () => {
      first ??= await open().catch(() => undefined)
      const answer = first && (await ask(first, { ':path': '/health/ready' }).catch(() => undefined))
      if (answer?.status === 200) return true
      first = undefined
      return false
    },
    60_000,
  )
  const session = first as ClientHttp2Session
  const login = { ':method': 'POST', ':path': '/v1/auth/login', 'content-type': 'application/json' }
  const answer = await ask(session, login, JSON.stringify({ api_key: apiKey }))
  const authorization = `Bearer ${JSON.parse(answer.body).access_token}`
  const get = (to: ClientHttp2Session, path: string) => ask(to, { ':path': path, authorization })
  t.match(await get(session, '/v1/countries'), { status: 200 })

  const unlock = await lockProducts(database)
  const slow = ['a', 'b', 'c'].map((name) => get(session, `/v1/products?name=${name}`))
  await until('they wait', async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::integer as n from pg_locks where not granted and relation = 'products'::regclass
        and database = (select oid from pg_database where datname = current_database())`.execute(
      database.operator,
    )
    return rows[0]?.n === 3
  })

  // Sends requests until GOAWAY.
  const outcomes: Promise<unknown>[] = []
  let answers = 0
  const asking = (async () => {
    while (!session.closed) {
      const asked = get(session, '/v1/countries').then(
        ({ status }) => {
          answers += 1
          return status
        },
        (error) =>
          error.code === 'ERR_HTTP2_STREAM_ERROR' && /REFUSED_STREAM/.test(error.message)
            ? unsent
            : error.message,
      )
      outcomes.push(asked)
      await delay(5)
    }
  })()
  const goaway = once(session, 'goaway')
  await until('some were answered', () => answers > 5)
  const stopped = service.stop()
  const [code, lastStream] = await goaway
  t.equal(code, 0, 'GOAWAY without an error')
  t.equal(lastStream, 2 ** 31 - 1, 'which refuses nothing')
  await asking
  const told = await Promise.all(outcomes)
  const sent = told.filter((outcome) => outcome !== unsent)
  t.same(new Set(sent), new Set([200]), 'whatever was asked until the client knew')
  const second = await open()
  const sentAway = once(second, 'goaway')
  t.match(
    await get(second, '/v1/countries'),
    { status: 200 },
    'a new connection is answered while it listens',
  )
  await sentAway
  await unlock()
  t.same(
    (await Promise.all(slow)).map(({ status }) => status),
    [200, 200, 200],
    'what was under way is answered',
  )
  t.equal(await stopped, 0)
  t.notMatch(service.output(), /connections are cut/)
  const answered = service.output().match(/"route":"\/v1\/countries"/g) ?? []
  t.equal(
    answered.length,
    sent.length + 2,
    'what the client refused itself was never sent: nothing came unanswered',
  )
})
