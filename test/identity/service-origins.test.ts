import { sql } from 'kysely'
import t from 'tap'
import { listServiceOrigins, startOriginReport } from '../../app/db/service-origins.ts'
import { createCommandLine } from '../command-line.ts'
import {
  addCustomer,
  closeAfter,
  connectOwner,
  createTestDatabase,
  publicUrl,
  secretKey,
  until,
} from '../helper.ts'
import { startTestTasks } from '../tasks.ts'

const database = await createTestDatabase()
const owner = connectOwner(database)
closeAfter(t, owner, database)
await addCustomer(database, 'acme')

const report = (origin: string) => sql`select report_service_origin(${origin})`.execute(database.reserved)
const listOrigins = async () => (await listServiceOrigins(database.operator)).map(({ origin }) => origin)
const issue = async (env: Record<string, string> = {}) => {
  const whole = { DATABASE_URL: database.url, SECRET_KEY: secretKey, DATA_DIR: t.testdir(), ...env }
  const { code, stdout, stderr } = await createCommandLine(whole, 'keys').cli('issue', 'acme', '--link')
  return { code, stderr, origin: /^link +(\S+)\/key#/m.exec(stdout)?.[1] }
}

t.test('before its first start, the address comes from PUBLIC_URL or the port', async (t) => {
  t.match(await issue({ PUBLIC_URL: 'https://api.example' }), { origin: 'https://api.example', stderr: /^$/ })
  t.match(await issue({ PORT: '3123' }), {
    origin: 'http://localhost:3123',
    stderr: /^Warning: this address begins/,
  })
  t.match(await issue({ PORT: '0' }), { code: 1, stderr: /start it once, or set PUBLIC_URL/ })
})

t.test('a starting instance writes its public origin, which links then have', async (t) => {
  const tasks = await startTestTasks(database, () => {})
  await until('the origin is stored', async () => (await listOrigins()).includes(publicUrl))
  await tasks.stop()
  t.match(await issue({ PUBLIC_URL: 'http://localhost:3000' }), { origin: publicUrl, stderr: /^$/ })
})

t.test('the newest start wins, and the others are listed', async (t) => {
  await report('https://new.example')
  const { origin, stderr } = await issue()
  t.equal(origin, 'https://new.example')
  t.match(stderr, new RegExp(`^The service has also started as ${publicUrl}, last at 20.*Z\\.\n$`))
  await report(publicUrl)
  t.strictSame(await listOrigins(), [publicUrl, 'https://new.example'])
})

t.test('a loopback origin is a warning', async (t) => {
  for (const origin of [
    'http://localhost:3000',
    'http://127.0.0.5',
    'https://[::1]:8443',
    'http://api.localhost',
  ]) {
    await report(origin)
    t.match(
      await issue(),
      {
        origin,
        stderr: /^Warning: this address begins with .* set PUBLIC_URL of the service.* make another one/,
      },
      origin,
    )
  }
  await report('https://localhost.example')
  t.notMatch((await issue()).stderr, 'Warning')
})

t.test('the newest 20 origins are kept', async (t) => {
  for (let n = 0; n < 25; n++) await report(`https://n${n}.example`)
  t.equal((await listOrigins()).length, 20)
  t.equal((await listOrigins())[0], 'https://n24.example')
})

t.test('only the serving role may report an origin, and it cannot read or change the table', async (t) => {
  await t.rejects(
    sql`select report_service_origin('https://evil.example')`.execute(database.operator),
    /permission denied/,
  )
  for (const text of ['select * from service_origins', `delete from service_origins`])
    await t.rejects(sql.raw(text).execute(database.reader), /permission denied/)
  await t.rejects(
    sql`insert into service_origins (origin) values ('https://evil.example')`.execute(database.operator),
    /permission denied/,
  )
})

t.test('a failed report is tried again, and warned of once', async (t) => {
  await sql`alter function report_service_origin rename to report_nothing`.execute(owner)
  const warnings: string[] = []
  const stop = startOriginReport({
    db: database.reserved,
    publicUrl: 'https://late.example',
    warn: (message) => warnings.push(message),
    after: (_ms, call) => {
      const timer = setTimeout(call, 5)
      return () => clearTimeout(timer)
    },
  })
  await until('the warning', () => warnings.length > 0)
  await sql`alter function report_nothing rename to report_service_origin`.execute(owner)
  await until('the origin is stored', async () => (await listOrigins()).includes('https://late.example'))
  await stop()
  t.match(warnings, [/the public origin was not stored/])
  t.equal(warnings.length, 1)
})
