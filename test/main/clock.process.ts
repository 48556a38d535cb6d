import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import {
  addCustomer,
  asCustomer,
  connectOwner,
  createTestApp,
  createTestDatabase,
  secretKey,
  type TestClock,
  until,
} from '../helper.ts'
import { logInTo, startService, untilReady } from '../service.ts'

const hourMs = 3_600_000
const database = await createTestDatabase()
t.teardown(() => database.close())

t.test('reads are recorded every few seconds, even if the clock jumps', async (t) => {
  const clock: TestClock = { offsetMs: 0, isStopped: true }
  const app = await createTestApp(database, { clock })
  t.teardown(() => app.close())
  const { get } = await asCustomer(database, app, 'flushed')
  t.equal((await get('/v1/projects')).statusCode, 200)
  clock.stepMs = -5 * hourMs
  const owner = connectOwner(database)
  t.teardown(() => owner.destroy())
  const written = async () => {
    // They become entries after their minute.
    const { rows } = await sql`select from audit_reads union all
      select from audit_entries where action = 'reads'`.execute(owner)
    return rows.length > 0
  }
  t.notOk(await written())
  clock.offsetMs += 5_000
  await until('written', written)
})

t.test('a machine whose clock is set forwards and back serves as before', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-clock-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'offset')
  const set = (offsetMs: number) => {
    writeFileSync(`${file}.new`, String(offsetMs))
    renameSync(`${file}.new`, file)
  }
  set(0)
  const apiKey = await addCustomer(database, 'acme')
  await sql`insert into products (customer_id, id, name, model) values ('acme', 'p1', 'p1', '0')`.execute(
    database.operator,
  )
  const service = await startService(
    { DATABASE_URL: database.url, SECRET_KEY: secretKey, TEST_CLOCK_FILE: file },
    { execArgv: ['--import', join(import.meta.dirname, 'shifted-clock.ts')] },
  )
  t.teardown(() => service.stop('SIGKILL'))
  await untilReady(service)
  const logIn = () => logInTo(service, apiKey)
  const ask = async (login: Awaited<ReturnType<typeof logIn>>) => {
    const answer = await fetch(`${service.base}/v1/products/p1`, { headers: login })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }
  /** Whether the times in the service's log follow the new clock. */
  const isAt = async (offsetMs: number) => {
    await fetch(`${service.base}/health/live`)
    const [, time] = [...service.output().matchAll(/"time":"([^"]+)"/g)].at(-1) ?? []
    return Math.abs(Date.parse(time ?? '') - Date.now() - offsetMs) < 60_000
  }
  const first = await logIn()
  const logins = [first]
  let model = 0
  const check = async (what: string) => {
    for (const login of logins) t.equal((await ask(login)).status, 200, `${what}: tokens stay good`)
    logins.push(await logIn())
    model += 1
    await sql`update products set model = ${String(model)} where id = 'p1'`.execute(database.operator)
    const shows = async () => {
      const { body } = await ask(first)
      return (body as { data: { model: string } }).data.model === String(model)
    }
    await until(`${what}: answers are fresh`, shows)
    // Answers may be stale for a moment, also if the machine stalls.
    await until(`${what}: nothing is called stale`, async () => {
      const { headers } = await ask(first)
      const asOf = Date.parse(headers.get('data-as-of') ?? '')
      t.ok(Math.abs(asOf - Date.now()) < 60_000, `${what}: the database's time counts`)
      return !/ttl=-/.test(headers.get('cache-status') ?? '')
    })
    await until(`${what}: ready`, async () => (await fetch(`${service.base}/health/ready`)).status === 200)
  }
  await check('before')
  for (const offsetMs of [3 * hourMs, -3 * hourMs, 48 * hourMs, 0]) {
    set(offsetMs)
    await until('set', () => isAt(offsetMs))
    await check(`${offsetMs / hourMs} hours`)
  }
  t.equal(await service.stop(), 0)
  const warnings = service
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":"warn"'))
  t.same(
    warnings.filter((line) => !/the change log cannot be read|the database is reachable again/.test(line)),
    [],
    'and nothing is wrong',
  )
  t.ok(warnings.length < 10, 'a moment of a busy machine, and no more')
})
