import { sql } from 'kysely'
import t from 'tap'
import { parseConfig } from '../../../app/config/config.ts'
import type { TaskContext } from '../../../app/feature.ts'
import { dueAfterBusinessDay } from '../../../app/features/access-requests/requests.ts'
import {
  countOverdueRequests,
  deleteOldRequests,
  lockOpenRequest,
  moveToCustomer,
} from '../../../app/features/access-requests/store.ts'
import { startTasks } from '../../../app/features/access-requests/tasks.ts'
import { problem } from '../../../schemas/problem.ts'
import { addCustomer, createTestApp, createTestDatabase, until } from '../../helper.ts'
import { cases, fc } from '../../random.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const { operator, reader } = database

const body = {
  company: 'Ärzte & Söhne GmbH',
  name: "Zoë O'Neill",
  email: 'zoe@ärzte.example',
  message: 'Two lines,\n\tone of them with a tab.',
  consent: true,
}
/** Friday 2026-11-20 at 15:00. */
const friday = Date.parse('2026-11-20T15:00:00Z')
const open = async (env: Record<string, string> = {}) => {
  const clock = { offsetMs: friday - Date.now(), isStopped: true }
  const app = await createTestApp(database, { env, clock })
  t.teardown(() => app.close())
  const post = (payload: unknown, options: object = {}) =>
    app.inject({ method: 'POST', url: '/v1/access-requests', payload: payload as object, ...options })
  return { app, clock, post }
}
const stored = async () =>
  (await sql<Record<string, string>>`select * from access_requests order by created_at`.execute(operator))
    .rows
const clear = () => sql`delete from access_requests`.execute(operator)

t.test('a request is stored unchanged and is due one business day later', async (t) => {
  const { post } = await open({ HOLIDAYS: '2026-11-23,2026-12-25' })
  const answer = await post(body)
  t.equal(answer.statusCode, 202)
  t.equal(answer.headers['cache-control'], 'no-store')
  const { id, due_at, ...rest } = answer.json()
  t.match(id, /^[a-z0-9]{16}$/)
  t.match(due_at, /^2026-11-24T15:00:\d\d\.\d{3}000Z$/, 'the weekend and a holiday do not count')
  t.same(rest, {})
  const { consent: _, ...kept } = body
  t.match(await stored(), [{ request_id: id, ...kept, rejected_at: null }])
  t.not((await post(body)).json().id, id)
  await clear()
})

t.test('every fault of a body is reported with its place', async (t) => {
  const { post } = await open()
  const pointers = async (payload: unknown) => {
    const answer = await post(payload)
    t.equal(answer.statusCode, 400)
    t.ok(problem.safeParse(answer.json()).success)
    t.equal(answer.json().code, 'invalid_body')
    return answer
      .json()
      .errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)
      .sort()
  }
  const all = ['company', 'consent', 'email', 'message', 'name'].map((name) => `/${name} invalid_value`)
  t.same(await pointers({}), all)
  t.same(await pointers({ ...body, consent: false, phone: 1, 'a/b': 2 }), [
    '/a~1b unknown_field',
    '/consent invalid_value',
    '/phone unknown_field',
  ])
  t.same(await pointers([]), [' invalid_value'])
  for (const name of ['company', 'name', 'email', 'message']) {
    const wrong = [
      '',
      ' ',
      'x\u0000@a.b',
      '\u001b[2J@a.b',
      '\u009b@a.b',
      '\ud800@a.b',
      7,
      null,
      'x@a.b'.repeat(900),
    ]
    for (const value of wrong) {
      const found = new Set(await pointers({ ...body, [name]: value }))
      t.same([...found], [`/${name} invalid_value`], `${name} ${JSON.stringify(value).slice(0, 20)}`)
    }
  }
  for (const email of ['ada', 'ada@', '@acme.example', 'ada@acme', 'a b@acme.example', 'a@b@acme.example']) {
    t.same(await pointers({ ...body, email }), ['/email invalid_value'], email)
  }
  for (const text of ['company', 'name']) {
    t.same(await pointers({ ...body, [text]: 'two\nlines' }), [`/${text} invalid_value`])
  }
  t.equal((await post(undefined)).statusCode, 400)
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  t.equal((await post('company=x', form)).statusCode, 415)
  t.same(await stored(), [], 'none of it is kept')
})

t.test('a hostile e-mail address of 64 KB is refused in milliseconds', async (t) => {
  const { post } = await open()
  const before = process.cpuUsage()
  const answer = await post({ ...body, email: `a@${'.a'.repeat(32_000)} ` })
  // A quadratic check took seconds of processor time.
  const ms = process.cpuUsage(before).user / 1_000
  t.ok(ms < 1_000, `${ms} ms`)
  t.equal(answer.json().errors[0].detail, 'expected at most 254 characters')
})

t.test('the longest request is accepted', async (t) => {
  const { post } = await open()
  const longest = { company: 'ä'.repeat(200), name: 'n'.repeat(200), message: '😀'.repeat(2_000) }
  t.equal((await post({ ...body, ...longest })).statusCode, 202)
  await clear()
})

t.test('other methods get 405, also without a token', async (t) => {
  const { app } = await open()
  const got = await app.inject('/v1/access-requests')
  t.same([got.statusCode, got.headers.allow], [405, 'POST, OPTIONS'])
  t.equal((await app.inject({ method: 'OPTIONS', url: '/v1/access-requests' })).statusCode, 204)
})

t.test('the answer is the same for existing customers', async (t) => {
  const { post } = await open()
  await addCustomer(database, 'acme')
  const answers = await Promise.all(['acme', 'nobody'].map((company) => post({ ...body, company })))
  const shapes = answers.map(({ statusCode, headers, body: text }) => {
    const { date: _, 'request-id': __, ...same } = headers
    return [statusCode, same, text.replace(/"id":"\w+"|T[\d:.]+Z/g, '')]
  })
  t.strictSame(shapes[0], shapes[1])
  await clear()
})

t.test('requests are limited per client address, and a refused body costs one, too', async (t) => {
  const { post, clock } = await open({ LIMIT_ACCESS_REQUESTS: '3', TRUSTED_PROXIES: '127.0.0.1' })
  const from = (address: string, payload: unknown = body) =>
    post(payload, { headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' } })
  t.equal((await from('192.0.2.1', {})).statusCode, 400)
  for (let i = 0; i < 2; i++) t.equal((await from('192.0.2.1')).statusCode, 202)
  const refused = await from('192.0.2.1')
  t.equal(refused.statusCode, 429)
  t.match(refused.json(), { code: 'quota_exceeded', 'violated-policies': ['access_requests'] })
  t.equal(refused.headers['retry-after'], '3600')
  t.equal((await from('192.0.2.1', {})).statusCode, 429, 'before the body is judged')
  t.equal((await from('192.0.2.2')).statusCode, 202, 'others have their own')
  for (let i = 0; i < 3; i++) t.equal((await from('192.0.2.3', '{')).statusCode, 415, 'no JSON')
  t.equal((await from('192.0.2.3')).statusCode, 429)
  for (const host of [1, 2, 3]) t.equal((await from(`2001:db8::${host}`)).statusCode, 202)
  t.equal((await from('2001:db8::4')).statusCode, 429, 'an IPv6 network is one client')
  clock.offsetMs += 3_600_000
  t.equal((await from('192.0.2.1')).statusCode, 202)
  await clear()
})

t.test('a site with many networks, and all sites together, store a limited number of requests', async (t) => {
  const { post, clock } = await open({ LIMIT_ACCESS_REQUESTS: '1', TRUSTED_PROXIES: '127.0.0.1' })
  const from = async (address: string, payload: unknown = body) =>
    (await post(payload, { headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' } }))
      .statusCode
  for (let n = 1; n <= 4; n++) t.equal(await from(`2001:db8:0:${n}::1`), 202)
  t.equal(await from('2001:db8:0:5::1'), 429, 'a /48 network has four times the quota of a client')
  for (let n = 1; n <= 20; n++) t.equal(await from(`192.0.2.${n}`, {}), 400)
  for (let n = 1; n <= 16; n++) t.equal(await from(`198.51.100.${n}`), 202, 'bad bodies do not count')
  t.equal(await from('203.0.113.1'), 429, 'twenty are stored in an hour')
  t.equal((await stored()).length, 20)
  clock.offsetMs += 3_600_000
  t.equal(await from('203.0.113.1'), 202)
  await clear()
})

t.test('of two simultaneous requests for the last slot, one is refused', async (t) => {
  const { post } = await open({ LIMIT_ACCESS_REQUESTS: '1' })
  const answers = await Promise.all([post(body), post(body), post(body)])
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [202, 429, 429])
  await clear()
})

/** Inserts a request that arrived, and was decided, some days ago. */
const insert = async (id: string, cameDaysAgo: number, decision?: { daysAgo: number; customer?: string }) => {
  const ago = (days: number) => sql`now() - make_interval(hours => ${Math.round(days * 24)}::integer)`
  const texts = sql`'c', 'n', ${`${id}@x.example`}, 'm'`
  const dates = sql`${ago(cameDaysAgo)}, ${ago(cameDaysAgo - 1)}`
  if (decision?.customer) {
    await sql`insert into approved_requests
      values (${decision.customer}, ${id}, ${texts}, ${dates}, ${ago(decision.daysAgo)})`.execute(operator)
  } else {
    const rejected = decision ? ago(decision.daysAgo) : sql`null`
    await sql`insert into access_requests values (${id}, ${texts}, ${dates}, ${rejected}, null)`.execute(
      operator,
    )
  }
}
const getId = (name: string) => name.padEnd(16, '0')
const remaining = async () => {
  const { rows } = await sql<{ id: string }>`
    select request_id as id from access_requests union all select request_id from approved_requests
    order by 1`.execute(operator)
  return rows.map(({ id }) => id.replace(/0+$/, ''))
}

t.test('old requests are deleted once, and the trail records it', async (t) => {
  await addCustomer(database, 'acme')
  await insert(getId('openold'), 10.5)
  await insert(getId('opennew'), 9.5)
  await insert(getId('rejectedlong'), 50, { daysAgo: 10.5 })
  await insert(getId('rejectedlately'), 50, { daysAgo: 9.5 })
  await insert(getId('approvedlong'), 50, { daysAgo: 10.5, customer: 'acme' })
  await insert(getId('approvedlately'), 50, { daysAgo: 9.5, customer: 'acme' })
  const counts = await Promise.all([1, 2].map(() => deleteOldRequests(reader, 10, 'system')))
  t.same(counts.sort(), [0, 3], 'two instances at once')
  t.same(await remaining(), ['approvedlately', 'opennew', 'rejectedlately'])
  const { rows } = await sql<{ details: object }>`
    select p.personal -> 'details' as details from audit_entries e join audit_persons p using (entry_id)
    where e.action = 'requests.expire' and e.actor = 'system'`.execute(operator)
  t.same(rows, [{ details: { count: 3 } }])
  await clear()
})

t.test('a request is locked while an operator decides it', async (t) => {
  const id = getId('wanted')
  await insert(id, 0.1)
  const isWaiting = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and pid in (select pid from pg_locks where not granted)`.execute(
      operator,
    )
    return rows.length > 0
  }
  let second: Promise<object | undefined> | undefined
  await operator.transaction().execute(async (trx) => {
    t.match(await lockOpenRequest(trx, id), { company: 'c' })
    second = operator.transaction().execute((other) => lockOpenRequest(other, id))
    await until('the second waits for the first', isWaiting)
    await moveToCustomer(trx, id, 'acme')
  })
  t.equal(await second, undefined)
  await sql`delete from approved_requests`.execute(operator)
})

t.test('open requests past their due time are overdue', async (t) => {
  await insert(getId('due'), 0.5)
  await insert(getId('overdue'), 1.5)
  await insert(getId('rejected'), 5, { daysAgo: 4 })
  t.equal(await countOverdueRequests(reader), 1)
  t.equal(await countOverdueRequests(operator), 1)
  await clear()
})

t.test('overdue requests are counted, at most every half minute', async (t) => {
  const token = 'who-measures-has-this'
  const clock = { offsetMs: 0 }
  const other = await createTestApp(database, { env: { METRICS_TOKEN: token }, clock })
  t.teardown(() => other.close())
  const overdue = async () => {
    const { body } = await other.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } })
    return /^certdata_access_requests_overdue (\d+)$/m.exec(body)?.[1]
  }
  await until('it is counted', async () => (await overdue()) === '0')
  await sql`select add_access_request('abcdefgh01234567', 'c', 'n', 'e', 'm', now() - interval '1 day')`.execute(
    reader,
  )
  t.equal(await overdue(), '0')
  clock.offsetMs += 30_001
  await until('it is counted', async () => (await overdue()) === '1')
  await clear()
})

t.test('the service deletes after a minute and then each hour, also after a failure', async (t) => {
  const timers: { ms: number; call: () => void; isOff: boolean }[] = []
  const after = (ms: number, call: () => void) => {
    const timer = { ms, call, isOff: false }
    timers.push(timer)
    return () => {
      timer.isOff = true
    }
  }
  // The first deletion rejects, as if the database were away.
  let deletions = 0
  const reserved = {
    isTransaction: false,
    transaction() {
      deletions += 1
      if (deletions === 1) throw new Error('no database')
      return reader.transaction()
    },
  }
  const warnings: string[] = []
  const context = {
    config: parseConfig({ ACCESS_REQUEST_DAYS: '1' }),
    reserved,
    after,
    warn: (message: string) => warnings.push(message),
  }
  const [task] = startTasks(context as unknown as TaskContext)
  await insert(getId('old'), 2)
  const fire = async (count: number) => {
    timers.at(-1)?.call()
    while (timers.length < count) await new Promise(setImmediate)
  }
  t.same(
    timers.map(({ ms }) => ms),
    [60_000],
  )
  await fire(2)
  t.same(await remaining().then((ids) => ids.includes('old')), true)
  await fire(3)
  t.notOk((await remaining()).includes('old'))
  t.same(
    timers.map(({ ms }) => ms),
    [60_000, 3_600_000, 3_600_000],
  )
  t.same(warnings, ['old access requests were not deleted: trying again in an hour'])
  await task?.stop()
  t.ok(timers.at(-1)?.isOff)
})

t.test('requests of today stay, even if a deletion asks for fewer days', async (t) => {
  await insert(getId('today'), 0.1)
  for (const days of [0, -5]) await sql`select delete_old_access_requests(${days}::integer)`.execute(reader)
  t.ok((await remaining()).includes('today'))
  await clear()
})

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const due = (received: string, ...holidays: string[]) =>
  new Date(dueAfterBusinessDay(Date.parse(received), new Set(holidays))).toISOString()

t.test('a request is due one business day later, across weekends and holidays', async (t) => {
  // 2026-11-18 is a Wednesday.
  const days: [received: string, due: string, ...holidays: string[]][] = [
    ['2026-11-18T15:00:00.000Z', '2026-11-19T15:00:00.000Z'],
    ['2026-11-20T15:00:00.000Z', '2026-11-23T15:00:00.000Z'],
    ['2026-11-20T23:59:59.999Z', '2026-11-23T23:59:59.999Z'],
    ['2026-11-21T00:00:00.000Z', '2026-11-24T00:00:00.000Z'],
    ['2026-11-21T15:00:00.000Z', '2026-11-24T00:00:00.000Z'],
    ['2026-11-22T23:59:59.999Z', '2026-11-24T00:00:00.000Z'],
    ['2026-11-23T00:00:00.000Z', '2026-11-24T00:00:00.000Z'],
    ['2026-12-24T10:00:00.000Z', '2026-12-28T10:00:00.000Z', '2026-12-25', '2026-12-26'],
    ['2026-12-25T10:00:00.000Z', '2026-12-29T00:00:00.000Z', '2026-12-25', '2026-12-26'],
    ['2026-12-31T18:00:00.000Z', '2027-01-04T18:00:00.000Z', '2027-01-01'],
  ]
  for (const [received, expected, ...holidays] of days) {
    t.equal(due(received, ...holidays), expected, `${received} ${holidays.join(' ')}`)
  }
})

/** Reads the weekday as text, unlike the code. */
const isBusinessHour = (ms: number, holidays: ReadonlySet<string>) => {
  const date = new Date(ms)
  return !/^(Sat|Sun)/.test(date.toUTCString()) && !holidays.has(date.toISOString().slice(0, 10))
}

const start = Date.parse('2026-01-01')
const hours = fc.integer({ min: 0, max: 3 * 366 * 24 })
const holidaySets = fc
  .array(fc.integer({ min: 0, max: 3 * 366 }), { maxLength: 400 })
  .map((days) => new Set(days.map((day) => new Date(start + day * dayMs).toISOString().slice(0, 10))))

t.test('the due time is 24 hours of business days after receipt', async () => {
  fc.assert(
    fc.property(hours, holidaySets, (hour, holidays) => {
      const received = start + hour * hourMs
      const until = dueAfterBusinessDay(received, holidays)
      let counted = 0
      for (let at = received; at < until; at += hourMs) counted += isBusinessHour(at, holidays) ? 1 : 0
      return counted === 24 && isBusinessHour(until - hourMs, holidays)
    }),
    { numRuns: cases(500) },
  )
})

t.test('a later request is never due before an earlier one, and no request is due immediately', async () => {
  const instants = fc.integer({ min: start, max: start + 3 * 366 * dayMs })
  fc.assert(
    fc.property(instants, fc.nat(10 * dayMs), holidaySets, (first, gap, holidays) => {
      const [a, b] = [dueAfterBusinessDay(first, holidays), dueAfterBusinessDay(first + gap, holidays)]
      return a <= b && a - first >= dayMs
    }),
  )
})
