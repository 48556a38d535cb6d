import { EventEmitter, once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { queryObjects } from 'node:v8'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Listener } from '../../../app/cache/poller.ts'
import type { ChangeEvent } from '../../../app/cache/stamped.ts'
import { createSecrets } from '../../../app/config/secrets.ts'
import { ApiError } from '../../../app/errors.ts'
import { longestStreamMs, mostUnreadBytes, streamEvents } from '../../../app/features/feed/events.ts'
import { readUntilChanged } from '../../../app/features/feed/long-poll.ts'
import type { FeedPage } from '../../../app/features/feed/read.ts'
import { createTokenCodec, type SyncToken } from '../../../app/features/feed/token.ts'
import { createWaiting, type Wake, type Watch } from '../../../app/features/feed/wait.ts'
import { revokeApiKey } from '../../../app/identity/api-key-store.ts'
import type { LimitStore, SlotStore } from '../../../app/limits/store.ts'
import {
  addCustomer,
  connectOwner,
  createTestDatabase,
  listenTestApp,
  logIn,
  secretKey,
  type TestAppOptions,
  type TestClock,
  until,
} from '../../helper.ts'
import { eraseCustomer, withoutPersonalData } from '../../personal-data.ts'
import { countWaiters } from './count-waiters.ts'
import { type Event, openEvents } from './event-stream.ts'
import { createStage, notice } from './stage.ts'

const database = await createTestDatabase()
const owner = connectOwner(database)
const { app, origin } = await listenTestApp(database)
t.teardown(async () => {
  const closing = app.close()
  // fetch keeps connections open.
  app.server.closeAllConnections()
  await closing
  await owner.destroy()
  await database.close()
})

const { newCustomer, addProduct } = createStage(database, app)

const open = (t: Test, token: string, query = '', headers: Record<string, string> = {}, at = origin) =>
  openEvents(t, `${at}/v1/changes${query}`, token, headers)
const listIds = ({ data }: Event) => data.data.map(({ id }) => id)
/** Opens a stream and waits for its first event. */
const begun = async (t: Test, token: string, at = origin) => {
  const stream = await open(t, token, '', {}, at)
  await until('it began', () => stream.events.length === 1)
  return stream
}
const poll = async (token: string, at = origin) => {
  const answer = await fetch(`${at}/v1/changes?wait=25`, { headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, body: (await answer.json()) as { code?: string } }
}
/** Starts another instance. */
const listen = async (t: Test, options: TestAppOptions = {}) => {
  const other = await listenTestApp(database, options)
  t.teardown(() => {
    other.app.server.closeAllConnections()
    return other.app.close()
  })
  return other
}
type Instance = Awaited<ReturnType<typeof listen>>
const countWaiting = async (instances: readonly Instance[]) => {
  const counts = await Promise.all(instances.map((each) => countWaiters(each.app)))
  return counts.reduce((sum, count) => sum + count, 0)
}

t.test('a change is an event, and its id is the position for the next connection', async (t) => {
  const { id, token, get } = await newCustomer()
  const first = await open(t, token, '?resources=products')
  t.equal(first.answer.status, 200)
  t.match(first.answer.headers.get('content-type'), /^text\/event-stream/)
  t.equal(first.answer.headers.get('content-encoding'), null, 'a content coding would hold events up')
  t.equal(first.answer.headers.get('cache-control'), 'no-store')
  t.equal(first.answer.headers.get('x-accel-buffering'), 'no', 'proxies do not hold events up')
  await until('it begins with a token', () => first.events.length === 1)
  t.same(first.events[0]?.data.data, [])
  t.match(first.lines[0], /^retry: [1-4]\d{3}$/)
  await addProduct(id, 'p1')
  await until('the change', () => first.events.length === 2)
  const [begin, change] = first.events.slice(-2) as [Event, Event]
  const polled = (await get(`/v1/changes?after=${begin.id}`)).json()
  t.same(change.data.data, polled.data, 'the body of the long poll')
  t.equal(change.id, change.data.page.next_token)
  first.stop()
  await addProduct(id, 'later')
  await notice(get)
  // A browser reconnects with the URL of its first request.
  const again = await open(t, token, `?resources=products&after=${begin.id}`, { 'last-event-id': change.id })
  await until('what came meanwhile', () => again.events.length === 1)
  t.same(listIds(again.events[0] as Event), ['later'])
})

t.test('a client without the header continues by lastEventId in the query', async (t) => {
  const { id, token, get } = await newCustomer()
  const readToken = async () => (await get('/v1/changes')).json().page.next_token
  const begin = await readToken()
  await addProduct(id, 'p1')
  const middle = await readToken()
  await addProduct(id, 'p2')
  await notice(get)
  const read = async (query: string, headers = {}) => {
    const stream = await open(t, token, query, headers)
    await until('its first event', () => stream.events.length === 1)
    stream.stop()
    return listIds(stream.events[0] as Event)
  }
  t.same(await read(`?lastEventId=${begin}`), ['p1', 'p2'])
  t.same(await read(`?after=${begin}&lastEventId=${middle}`), ['p2'], 'it overrides after')
  t.same(await read(`?lastEventId=${begin}`, { 'last-event-id': middle }), ['p2'], 'the header overrides it')
})

t.test('a page refuses lastEventId and names both ways', async (t) => {
  const { get } = await newCustomer()
  const { next_token } = (await get('/v1/changes')).json().page
  for (const query of [`lastEventId=${next_token}`, `after=${next_token}&lastEventId=x`]) {
    const answer = await get(`/v1/changes?${query}`)
    t.same([answer.statusCode, answer.json().code], [400, 'invalid_query'], query)
    t.match(answer.json().errors, [{ parameter: 'lastEventId', detail: /after.*text\/event-stream/ }])
  }
  const two = await get(`/v1/changes?lastEventId=${next_token}&limt=5`)
  t.equal(two.json().try, undefined, 'no correction that is refused itself')
})

t.test('existing changes are sent page by page, and the stream continues', async (t) => {
  const { id, token, get } = await newCustomer()
  const after = (await get('/v1/changes')).json().page.next_token
  for (let n = 1; n <= 5; n++) await addProduct(id, `p${n}`)
  const { events } = await open(t, token, `?after=${after}&limit=2`)
  await until('all', () => events.flatMap(listIds).length === 5)
  t.ok(events.length >= 3)
  await addProduct(id, 'p6')
  await until('the next', () => events.flatMap(listIds).at(-1) === 'p6')
})

t.test("no other customer's change wakes or fills a stream", async (t) => {
  const [mine, other] = [await newCustomer(), await newCustomer()]
  const { events } = await open(t, mine.token)
  await addProduct(other.id, 'theirs')
  await addProduct(mine.id, 'mine')
  await until('my own', () => events.length === 2)
  t.same(events.flatMap(listIds), ['mine'])
})

t.test('a fault before the stream begins is a problem document', async (t) => {
  const { id, token, get } = await newCustomer()
  const other = await newCustomer()
  const foreign = (await other.get('/v1/changes')).json().page.next_token
  const refusal = async (query: string, headers = {}) => {
    const { answer } = await open(t, token, query, headers)
    t.match(answer.headers.get('content-type'), /^application\/problem\+json/)
    return [answer.status, ((await answer.json()) as { code: string }).code]
  }
  t.same(await refusal('?after=x'), [400, 'invalid_sync_token'])
  t.same(await refusal('', { 'last-event-id': foreign }), [400, 'invalid_sync_token'])
  t.same(await refusal(`?lastEventId=${foreign}`), [400, 'invalid_sync_token'])
  t.same(await refusal('', { 'last-event-id': 'snapshot' }), [400, 'invalid_sync_token'])
  for (const id of ['x', '%00', 'AVsi', '"', 'a'.repeat(4_000), ` ${foreign.slice(0, -2)} `]) {
    t.same(await refusal('', { 'last-event-id': id }), [400, 'invalid_sync_token'], id.slice(0, 20))
  }
  const own = (await get('/v1/changes?resources=products')).json().page.next_token
  t.same(await refusal('?resources=lab', { 'last-event-id': own }), [400, 'invalid_sync_token'])
  const codec = createTokenCodec(createSecrets([secretKey]))
  const old = codec.decode(id, own)
  if (!old) throw new Error('the token cannot be read')
  const expired = codec.encode(id, { ...old, issuedAt: old.issuedAt - 91 * 86_400 })
  t.same(await refusal('', { 'last-event-id': expired }), [410, 'sync_token_expired'])
  t.same(await refusal('?wait=5'), [400, 'invalid_query'])
  t.same(await refusal('?limt=5'), [400, 'invalid_query'])
  t.same(await refusal('?after=snapshot'), [406, 'not_acceptable'])
  const head = await app.inject({
    method: 'HEAD',
    url: '/v1/changes',
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
  })
  t.same([head.statusCode, head.headers['content-type'], head.body], [200, 'text/event-stream', ''])
  t.equal((await get('/v1/changes', { accept: '*/*' })).headers['content-type'], 'application/json')
})

t.test('a stream counts as a long poll: at most ten at the same time', async (t) => {
  const { token } = await newCustomer()
  const streams = await Promise.all(Array.from({ length: 10 }, () => open(t, token)))
  t.same(new Set(streams.map(({ answer }) => answer.status)), new Set([200]))
  t.equal((await open(t, token)).answer.status, 429)
  streams[0]?.stop()
  await until('a place is free', async () => {
    const next = await open(t, token)
    if (next.answer.status !== 200) await delay(50)
    return next.answer.status === 200
  })
})

t.test('a stream ends when its token expires', async (t) => {
  const clock: TestClock = { offsetMs: 0 }
  const short = await listen(t, { env: { ACCESS_TOKEN_SECONDS: '60' }, clock })
  const openLate = async () => {
    clock.offsetMs = 0
    const { token } = await newCustomer({ at: short.app })
    // The token is valid for 1.5 more seconds.
    clock.offsetMs = (decodeJwt(token).exp ?? 0) * 1_000 - Date.now() - 1_500
    return open(t, token, '', {}, short.origin)
  }
  let opened = await openLate()
  // On a busy machine the token may expire before the request.
  for (let tries = 1; tries < 3 && opened.answer.status === 401; tries++) opened = await openLate()
  const { answer, ended, events } = opened
  t.equal(answer.status, 200)
  await ended
  t.equal(events.length, 1)
})

t.test('a stream ends in order when the service stops', async (t) => {
  const other = await listenTestApp(database)
  const { token } = await newCustomer({ at: other.app })
  const { ended } = await begun(t, token, other.origin)
  const closing = other.app.close()
  await ended
  // Like a process that drains.
  other.app.server.closeAllConnections()
  await closing
  t.pass()
})

/** The first poll of an instance may end early, when this instance sees the creation of the key. */
const pollUntilRefused = async (token: string, origin: string) => {
  for (;;) {
    const answer = await poll(token, origin)
    if (answer.status !== 200) return answer
  }
}

const erases = { skip: withoutPersonalData }

t.test('erasing a customer ends its streams and polls on all instances, no others', erases, async (t) => {
  const instances = [await listen(t), await listen(t)]
  const [first] = instances as [Instance, Instance]
  const [gone, stays] = [await newCustomer({ at: first.app }), await newCustomer({ at: first.app })]
  const streams = []
  const kept = []
  const polls = []
  for (const { app, origin } of instances) {
    const { token } = await logIn(app, gone.apiKey)
    streams.push(await begun(t, token, origin))
    kept.push(await begun(t, (await logIn(app, stays.apiKey)).token, origin))
    polls.push(pollUntilRefused(token, origin))
  }
  await until('all wait', async () => (await countWaiting(instances)) === 6)
  await eraseCustomer(database, gone.id)
  await Promise.all(streams.map(({ ended }) => ended))
  t.same(
    (await Promise.all(polls)).map(({ status, body }) => [status, body.code]),
    Array(2).fill([401, 'token_revoked']),
  )
  for (const { events } of streams) t.equal(events.length, 1, 'nothing more is sent')
  await addProduct(stays.id, 'p1')
  for (const { events } of kept)
    await until('the other customer hears of a change', () => events.length === 2)
})

t.test(
  'a revocation, fewer networks or scopes or an earlier end of a key end a stream and refuse a poll',
  async (t) => {
    const instance = await listen(t)
    const changes: [string, number, string][] = [
      [`networks = '{203.0.113.0/24}'`, 403, 'network_not_allowed'],
      [`scopes = '{changes:read}'`, 403, 'insufficient_scope'],
      [`expires_at = now() - interval '1 second'`, 401, 'token_revoked'],
      ['revoked_at = now()', 401, 'token_revoked'],
    ]
    for (const [change, status, code] of changes) {
      const { id, token, keyId } = await newCustomer({ at: instance.app })
      const { ended, events } = await begun(t, token, instance.origin)
      const waiting = pollUntilRefused(token, instance.origin)
      await until('both wait', async () => (await countWaiting([instance])) === 2)
      // A change in the same transaction, which is not sent any more.
      await database.operator.transaction().execute(async (trx) => {
        await sql`insert into products (customer_id, id, name) values (${id}, 'late', 'late')`.execute(trx)
        await sql.raw(`update api_keys set ${change} where key_id = '${keyId}'`).execute(trx)
      })
      await ended
      t.equal(events.length, 1)
      const refused = await waiting
      t.same([refused.status, refused.body.code], [status, code])
    }
  },
)

t.test('a key with a new expiry ends its stream, which would end at the old one', async (t) => {
  const { token, keyId } = await newCustomer()
  const { ended } = await begun(t, token)
  await sql`update api_keys set expires_at = now() + interval '10 minutes' where key_id = ${keyId}`.execute(
    database.operator,
  )
  await ended
  t.equal((await begun(t, token)).answer.status, 200, 'and the next one continues')
})

t.test('a new key or other settings of the customer end no stream', async (t) => {
  const { id, token } = await newCustomer()
  const { events, ended } = await begun(t, token)
  let hasEnded = false
  const note = () => {
    hasEnded = true
  }
  ended.then(note, () => {})
  await addCustomer(database, id)
  await sql`update customers set expiring_within = 60 where customer_id = ${id}`.execute(database.operator)
  await addProduct(id, 'p1')
  await until('it goes on', () => events.some(({ data }) => data.data.length > 0))
  t.notOk(hasEnded)
})

t.test('a revocation between authorization and wait is not lost', async (t) => {
  const gate = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const store: LimitStore & SlotStore = {
    exchange: async () => undefined,
    isDown: true,
    instances: 1,
    close: async () => {},
    async hold() {
      held.resolve()
      await gate.promise
      return true
    },
    release: async () => {},
  }
  const instance = await listen(t, { limitStore: store })
  const { token, keyId, get } = await newCustomer({ at: instance.app })
  const stream = open(t, token, '', {}, instance.origin)
  const waiting = poll(token, instance.origin)
  // Both are authorized, and neither waits yet.
  await held.promise
  await revokeApiKey(database.operator, keyId)
  await until('the service knows', async () => (await get('/v1/products')).statusCode === 401)
  gate.resolve()
  t.equal((await stream).answer.status, 401)
  t.equal((await waiting).status, 401)
  t.equal(await countWaiting([instance]), 0, 'and nobody waits')
})

t.test('many streams checked at the same time leave a connection to logins', async (t) => {
  for (let n = 1; n <= 12; n++) await begun(t, (await newCustomer()).token)
  await owner.transaction().execute(async (lock) => {
    // The lock blocks every check of rights.
    await sql`lock table api_keys in access exclusive mode`.execute(lock)
    await sql`insert into change_log (customer_id, resource, record_id) values ('*', '*', '*')`.execute(
      database.operator,
    )
    await until('rights are being read', async () => {
      // A transaction caches pg_stat_activity.
      await sql`select pg_stat_clear_snapshot()`.execute(lock)
      const { rows } = await sql<{ n: number }>`select count(*)::integer as n from pg_stat_activity
        where datname = current_database() and query like '%find_api_key%' and wait_event_type = 'Lock'`.execute(
        lock,
      )
      return rows[0]?.n === 2
    })
    await Promise.race([
      sql`select 1`.execute(database.reserved),
      new Promise((_, reject) => setTimeout(reject, 20_000, new Error('no connection is left'))),
    ])
  })
  t.pass()
})

const page = (changes: string[], hasMore = false): FeedPage => ({
  changes,
  token: {} as SyncToken,
  hasMore,
  at: '',
})

/** A stream whose pages and wakes come from the test. */
const stage = (
  first: FeedPage,
  read: () => FeedPage | Promise<FeedPage>,
  {
    heartbeatMs = 1e6,
    checkRights = async () => {},
    ...more
  }: Partial<Parameters<typeof streamEvents>[0]> = {},
) => {
  const wakes = new EventEmitter()
  let watches = 0
  const stream = streamEvents({
    first,
    read: async () => read(),
    format: ({ changes }) => ({ body: JSON.stringify(changes), token: 't' }),
    watch: { next: async () => (await once(wakes, 'wake'))[0] as Wake, end: () => (watches += 1) },
    checkRights,
    ending: { destroyed: false, once: () => {} },
    heartbeatMs,
    ...more,
  })
  const wake = async (reason: Wake) => {
    await until('it waits', () => wakes.listenerCount('wake') > 0)
    wakes.emit('wake', reason)
  }
  return { stream, wake, ends: () => watches }
}

const createTimer = () => {
  const due: { ms: number; call: () => void }[] = []
  const after = (ms: number, call: () => void) => {
    const entry = { ms, call }
    due.push(entry)
    return () => {
      if (due.includes(entry)) due.splice(due.indexOf(entry), 1)
    }
  }
  const fire = () => {
    for (const { call } of due.splice(0)) call()
  }
  return { after, due, fire }
}
/** Collects the text of a stream. */
const collect = (stream: Readable) => {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return () => text
}
/** `read` returns the page of its number, from 1. */
const createReads = (toPage: (n: number) => FeedPage) => {
  const reads = { count: 0, read: () => toPage(++reads.count) }
  return reads
}
/** Lets all work finish that needs no timer. */
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await delay(0)
}

t.test('repeats a refused read within 2 s at a random time and keeps the stream open', async (t) => {
  const { after, due, fire } = createTimer()
  const randoms = [0.5, 0.25, 0.75]
  const reads = createReads((n) => {
    if (n <= 2) throw new ApiError('overloaded')
    return page([`${n}`])
  })
  const random = () => randoms.shift() ?? 0
  const { stream, wake, ends } = stage(page([]), reads.read, { after, random })
  const getText = collect(stream)
  await wake('changed')
  await until('it pauses', () => due.length === 1)
  await wake('changed')
  await settle()
  t.equal(reads.count, 1, 'another change does not end the pause')
  t.equal(due[0]?.ms, 500)
  fire()
  await until('it pauses again', () => due.length === 1)
  t.equal(due[0]?.ms, 1_500)
  fire()
  await until('the change', () => getText().includes('["3"]'))
  t.match(getText(), /^retry: 3000\n/, 'each stream has a random time until its client connects again')
  await wake('time')
  await once(stream, 'end')
  t.equal(ends(), 1)
})

t.test('a pause does not delay the end of a stream or the check of its rights', async (t) => {
  const overloaded = () => {
    throw new ApiError('overloaded')
  }
  for (const reason of ['closing', 'rights'] as const) {
    const { after, due } = createTimer()
    const { stream, wake } = stage(page([]), overloaded, { after, checkRights: refuse })
    stream.resume()
    await wake('changed')
    await until('it pauses', () => due.length === 1)
    await wake(reason)
    await once(stream, 'end')
    await settle()
    t.equal(due.length, 0, 'the pause is called off')
  }
})

t.test('does not read while rights cannot be checked', async (t) => {
  const { after, due, fire } = createTimer()
  let isOverloaded = true
  const checkRights = async () => {
    if (isOverloaded) throw new ApiError('overloaded')
  }
  const reads = createReads(() => page([]))
  const { stream, wake } = stage(page([]), reads.read, { after, checkRights })
  stream.resume()
  await wake('rights')
  await until('it pauses', () => due.length === 1)
  await wake('changed')
  await settle()
  t.equal(reads.count, 0)
  isOverloaded = false
  fire()
  await until('it reads', () => reads.count === 1)
  await wake('time')
  await once(stream, 'end')
})

t.test('a wait ends at midnight, or when its time is over', async (t) => {
  const ending = { destroyed: false, once: () => {} }
  const open = (now: number, waitMs: number) => {
    const databaseNow = () => now
    const waiting = createWaiting({ listen: () => () => {}, databaseNow, isDraining: () => false })
    const watch = waiting.watch('acme', ['products'], waitMs, ending)
    t.teardown(() => watch.end())
    return watch
  }
  t.equal(await open(86_399_999, 60_000).next(), 'day')
  t.equal(await open(0, 1).next(), 'time')
})

t.test('a wait that has ended leaves no timer and no entry', async (t) => {
  const waiting = createWaiting({ listen: () => () => {}, databaseNow: () => 0, isDraining: () => false })
  const ending = { destroyed: false, once: () => {} }
  const ended = waiting.watch('acme', ['products'], 1, ending)
  const next = ended.next()
  ended.end()
  const later = waiting.watch('acme', ['products'], 2, ending)
  t.equal(await later.next(), 'time')
  t.equal(await Promise.race([next, 'pending']), 'pending')
  later.end()
  const countSets = () => Number(queryObjects(Set))
  const before = countSets()
  for (let i = 0; i < 1_000; i++) waiting.watch(`customer-${i}`, ['products'], 60_000, ending).end()
  t.ok(countSets() - before < 500, 'no set of watchers for each customer')
})

t.test('the end of a wait does not hide a change of rights', async (t) => {
  const { after } = createTimer()
  let tell: Listener = () => {}
  const listen = (listener: Listener) => {
    tell = listener
    return () => {}
  }
  const waiting = createWaiting({ listen, databaseNow: () => 0, isDraining: () => false, after })
  const open = () => {
    const watch = waiting.watch('acme', ['products'], 1, { destroyed: false, once: () => {} })
    t.teardown(() => watch.end())
    return watch
  }
  const revocation = { customerId: 'acme', resource: 'auth', xid: 1 } as unknown as ChangeEvent
  for (const [events, reason] of [
    [[revocation], 'rights'],
    [undefined, 'unknown'],
  ] as const) {
    // The timer of the watch is due before the timer of `delay`.
    const before = open()
    tell(events)
    await delay(2)
    t.same([await before.next(), await before.next()], [reason, 'time'])
    const after = open()
    await delay(2)
    tell(events)
    t.same([await after.next(), await after.next()], [reason, 'time'])
  }
  const waitingOne = open()
  const woken = waitingOne.next()
  tell(undefined)
  t.same([await woken, await waitingOne.next()], ['unknown', 'time'])
})

t.test('waiting clients wake one after another, within half a second', async (t) => {
  const { after, due, fire } = createTimer()
  let tell: Listener = () => {}
  const listen = (listener: Listener) => {
    tell = listener
    return () => {}
  }
  let next = 0
  const random = () => (next++ % 1_000) / 1_000
  const waiting = createWaiting({ listen, databaseNow: () => 0, isDraining: () => false, after, random })
  const ending = { destroyed: false, once: () => {} }
  const open = () => waiting.watch('acme', ['products'], 60_000, ending)
  const event = { customerId: 'acme', resource: 'products', xid: 1 } as unknown as ChangeEvent
  const [only] = [open()]
  const alone = only?.next()
  tell([event])
  t.ok((due[0]?.ms ?? 9) < 1, 'a single one has no delay')
  fire()
  t.equal(await alone, 'changed')

  const watches = Array.from({ length: 999 }, open)
  t.equal(waiting.count, 1_000)
  const woken = watches.map((watch) => watch.next())
  tell([event])
  tell([event])
  const delays = due.map(({ ms }) => ms)
  t.equal(delays.length, 999)
  t.ok(Math.max(...delays) < 500)
  t.ok(new Set(delays.map((ms) => Math.floor(ms / 50))).size === 10, 'spread over the whole time')
  fire()
  t.same(new Set(await Promise.all(woken)), new Set(['changed']))

  const last = watches.map((watch) => watch.next())
  tell([event])
  waiting.close()
  t.same(new Set(await Promise.all(last)), new Set(['closing']), 'without a delay')
  t.equal(due.length, 0)
  for (const watch of [...watches, only]) watch?.end()
  t.equal(waiting.count, 0)
})

const refuse = async () => {
  throw new Error('revoked')
}

t.test('a possible change of rights causes a check: the stream continues, or it ends', async (t) => {
  for (const reason of ['rights', 'unknown'] as const) {
    let isAllowed = true
    const checkRights = async () => {
      if (!isAllowed) await refuse()
    }
    const reads = createReads((n) => page([`${n}`]))
    const { stream, wake, ends } = stage(page([]), reads.read, { checkRights })
    stream.resume()
    await wake(reason)
    await until('it has read on', () => reads.count === 1)
    isAllowed = false
    await wake(reason)
    await once(stream, 'end')
    t.equal(reads.count, 1, 'and reads nothing more')
    t.equal(ends(), 1)
  }
})

t.test('a long poll is checked again, reads on or returns, according to what wakes it', async (t) => {
  const sent = { identity: 'sent' } as SyncToken
  const poll = async (wakes: Wake[], toPage: (n: number) => FeedPage, checkRights = async () => {}) => {
    let ends = 0
    const watch: Watch = {
      next: async () => wakes.shift() ?? 'gone',
      end: () => {
        ends += 1
      },
    }
    const reads = createReads(toPage)
    const outcome = await readUntilChanged(watch, async () => reads.read(), sent, checkRights).then(
      ({ changes, token }) => ({ changes, token }),
      (error: Error) => error.message,
    )
    t.equal(ends, 1, 'the wait has ended')
    return { outcome, reads: reads.count, left: wakes.length }
  }
  const empty = (n: number): FeedPage => ({ ...page([]), token: { identity: `page ${n}` } as SyncToken })
  const changingAt =
    (last: number) =>
    (n: number): FeedPage => ({ ...empty(n), changes: n === last ? ['a change'] : [] })
  const toOutcome = (n: number, changes: string[] = []) => ({ changes, token: empty(n).token })

  for (const wake of ['rights', 'unknown'] as const)
    t.same(await poll([wake], empty, refuse), { outcome: 'revoked', reads: 1, left: 0 }, wake)
  for (const wake of ['changed', 'day', 'time'] as const)
    t.same(
      await poll([wake], changingAt(2), refuse),
      { outcome: toOutcome(2, ['a change']), reads: 2, left: 0 },
      `${wake} needs no check`,
    )
  t.same(await poll([], changingAt(1)), { outcome: toOutcome(1, ['a change']), reads: 1, left: 0 })
  t.same(await poll(['changed', 'unknown', 'changed', 'day'], changingAt(4)), {
    outcome: toOutcome(4, ['a change']),
    reads: 4,
    left: 1,
  })
  t.same(await poll(['rights', 'changed'], empty), { outcome: toOutcome(1), reads: 1, left: 1 })
  t.same(await poll(['changed', 'gone', 'changed'], empty), { outcome: toOutcome(2), reads: 2, left: 1 })
  t.same(await poll(['time', 'changed'], empty), { outcome: toOutcome(2), reads: 2, left: 1 })
  t.same(
    await poll(['changed', 'closing', 'changed'], empty),
    { outcome: { changes: [], token: sent }, reads: 2, left: 1 },
    'the client continues with its own token',
  )
  const more = await poll([], () => ({ ...page([], true), token: sent }))
  t.same(more, { outcome: { changes: [], token: sent }, reads: 1, left: 0 }, 'an empty page with more')
})

t.test('drops a client that is a mebibyte behind at the next change, but not one that reads', async (t) => {
  const big = page(['x'.repeat(mostUnreadBytes)])
  const { stream, wake, ends } = stage(page([]), () => big)
  const closed = once(stream, 'error')
  await wake('changed')
  await until('it is full', () => stream.readableLength > mostUnreadBytes)
  await wake('changed')
  const [error] = await closed
  t.match(error.message, /too far behind/)
  t.equal(ends(), 1, 'and its wait ends')

  const reading = stage(page([]), () => big)
  let bytes = 0
  reading.stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  for (let n = 1; n <= 3; n++) {
    await reading.wake('changed')
    await until('it has read', () => bytes > n * mostUnreadBytes)
  }
  await reading.wake('time')
  await once(reading.stream, 'end')
})

t.test('a client that catches up slowly is not dropped, and the service reads nothing ahead', async (t) => {
  const reads = createReads(() => page(['x'.repeat(mostUnreadBytes)], true))
  const { stream, wake } = stage(page([], true), reads.read, { checkRights: refuse })
  stream.read(0)
  await until('it is full', () => stream.readableLength > mostUnreadBytes)
  await delay(0)
  const before = reads.count
  await settle()
  t.equal(reads.count, before, 'nothing is read ahead of a client')
  t.ok(before <= 2)
  await wake('rights')
  await until('and what ends a stream ends it all the same', () => {
    stream.resume()
    return stream.readableEnded
  })
})

t.test('notices an end during the catch-up and loses no change', async (t) => {
  let reads = 0
  const read = async () => {
    reads += 1
    // During a read, while there are more pages.
    if (reads === 2) await wake('rights')
    return page(['2'], true)
  }
  const { stream, wake } = stage(page(['1'], true), read, { checkRights: refuse })
  stream.resume()
  await once(stream, 'end')
  t.equal(reads, 2, 'nothing is read after it')
})

t.test('a heartbeat does not delay the next page of a client that catches up slowly', async (t) => {
  const big = page(['x'.repeat(100_000)], true)
  const reads = createReads((n) => (n < 3 ? big : page(['last'])))
  const { stream, wake } = stage(big, reads.read, { heartbeatMs: 1 })
  // Heartbeats are due, but the client reads nothing.
  for (let turn = 0; turn < 5; turn++) await delay(2)
  const getText = collect(stream)
  await until('the last page', () => getText().includes('["last"]'))
  await wake('time')
  await once(stream, 'end')
  t.equal(reads.count, 3)
})

t.test('a silent stream has heartbeats, and ends after a quarter of an hour', async (t) => {
  t.equal(longestStreamMs, 900_000)
  const { stream, wake } = stage(page([]), () => page([]), { heartbeatMs: 5 })
  const getText = collect(stream)
  await until('two', () => /\n\n:\n\n:\n\n/.test(getText()))
  await wake('time')
  await once(stream, 'end')
})
