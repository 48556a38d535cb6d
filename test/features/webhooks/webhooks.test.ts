import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import type { Listener } from '../../../app/cache/poller.ts'
import { createSecrets } from '../../../app/config/secrets.ts'
import { createDb, createPool, inTurn, readerRole } from '../../../app/db/connect.ts'
import { distrust, regainTrust } from '../../../app/db/trust.ts'
import type { SyncToken } from '../../../app/features/feed/token.ts'
import { createWebhookKeys } from '../../../app/features/webhooks/keys.ts'
import { claimWebhooks, type LeasedWebhook, updateWebhook } from '../../../app/features/webhooks/lease.ts'
import { decide, delayAfter, giveUpMs } from '../../../app/features/webhooks/schedule.ts'
import { leaseMs, startWebhooks } from '../../../app/features/webhooks/sender.ts'
import type { Delivery } from '../../../app/features/webhooks/store.ts'
import { verifyWebhook } from '../../../clients/typescript/src/webhook.ts'
import { webhookMessage } from '../../../schemas/webhooks.ts'
import {
  asCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  until,
} from '../../helper.ts'
import { hostName, startInternet } from '../../outbound.ts'
import { eraseCustomer, exportCustomer, withoutPersonalData } from '../../personal-data.ts'
import { createSeverable } from '../../severable.ts'
import { addProduct } from '../feed/stage.ts'
import {
  createCommands,
  createReceiver,
  isSigned,
  quiet,
  type Received,
  type Receiver,
  startSender,
  tokens,
} from './stage.ts'

const database = await createTestDatabase()
const { operator } = database
const app = await createTestApp(database)
closeAfter(t, app, database)

let customers = 0
/** A customer with one verified webhook. */
const newWebhook = async (resources = 'products') => {
  const id = `hooked-${++customers}`
  const { get } = await asCustomer(database, app, id)
  const receiver = createReceiver(`${id}.example.com`)
  const { cli, json } = createCommands(database, receiver)
  const url = `https://${id}.example.com/hook`
  const webhook = await json('add', id, url, '--resources', resources)
  return { id, get, receiver, cli, json, url, webhook }
}
type Hooked = Awaited<ReturnType<typeof newWebhook>>
/** Adds `count` copies of a webhook, with other values in `columns`. */
const copyWebhook = async (id: string, count: number, columns: Readonly<Record<string, string>> = {}) => {
  const taken = ['customer_id', 'url', 'resources', 'state', 'token', 'since', 'day', 'identity']
  const values = [...taken.map((name) => `w.${name}`), ...Object.values(columns)]
  await sql
    .raw(`insert into webhooks (webhook_id, ${[...taken, ...Object.keys(columns)].join()})
      select 'wh_' || translate(left(gen_random_uuid()::text, 18), '-', ''), ${values.join()}
      from webhooks w, generate_series(1, ${count}) n where w.webhook_id = '${id}'`)
    .execute(operator)
}
/** Then only the poll reports changes. */
const byPollAlone = { everyMs: 600_000, renewEveryMs: 600_000 }
const getData = ({ message }: Received) => message.data
/** A message that is sent again has the same id. */
const listNames = ({ messages }: Receiver) => new Set(messages().map(({ headers }) => headers['webhook-id']))
/** Sends the messages of two webhooks to their receivers. */
const both = (one: Hooked, two: Hooked): Pick<Receiver, 'outbound'> => ({
  outbound: (url, request) => (url.includes(`${one.id}.`) ? one : two).receiver.outbound(url, request),
})
const areGivenBack = async (id: string) => {
  const held = await sql`
    select from webhooks where customer_id = ${id} and held_until is not null`.execute(operator)
  return held.rows.length === 0
}
const findState = async (id: string) => {
  const { rows } = await sql<{ attempts: number; next_attempt_at: string; held_until: string }>`
    select * from webhooks where webhook_id = ${id}`.execute(operator)
  return rows[0]
}

t.test('a change sends a signed message through the guard, and the feed shows the change', async (t) => {
  const internet = await startInternet()
  t.teardown(() => internet.close())
  const received: Received[] = []
  internet.answer = async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('')
    const headers = request.headers as Record<string, string>
    received.push({ url: request.url ?? '', headers, body, message: JSON.parse(body) })
    response.writeHead(204).end()
  }
  const { get } = await asCustomer(database, app, 'acme')
  const { json } = createCommands(database, internet)
  const webhook = await json('add', 'acme', `https://${hostName}/hook?a=b`)
  t.match(webhook, { state: 'active', customer: 'acme', last_result: '204' })
  t.match(received[0]?.message, { type: 'webhook.test' })
  await startSender(t, database, internet)
  await addProduct(database, 'acme', 'p1')
  await until('it is told', () => received.length === 2)
  const told = received[1] as Received
  t.equal(told.url, '/hook?a=b')
  t.match(told.message, { type: 'changes.available', data: { resources: ['products'] } })
  t.same(Object.keys(told.message.data).sort(), ['after', 'resources'], 'no data of the record')
  // The token is opaque, and may contain any letters.
  t.notMatch(told.body.replace(String(told.message.data.after), ''), /p1/)
  t.ok(webhookMessage.safeParse(told.message).success, 'the message is as described')
  const published = await app.inject({ url: '/.well-known/webhook-keys.json' })
  t.equal(published.headers['cache-control'], 'public, max-age=300')
  const { whpk } = published.json().keys[0]
  t.ok(isSigned(told, whpk), 'the published key verifies it')
  t.notOk(isSigned({ ...told, body: `${told.body} ` }, whpk), 'and nothing else')
  const { keys } = published.json()
  const given = { headers: told.headers, body: told.body, keys }
  const verified = await verifyWebhook(given)
  t.same(verified, { id: told.headers['webhook-id'], ...told.message }, 'and so does the client')
  const refused = verifyWebhook({ ...given, body: `${told.body} ` }).catch(({ reason }) => reason)
  t.equal(await refused, 'wrong_signature')
  t.ok(Math.abs(Number(told.headers['webhook-timestamp']) - Date.now() / 1000) < 60)
  const feed = await get(`/v1/changes?after=${told.message.data.after}`)
  t.match(feed.json().data, [{ resource: 'products', id: 'p1' }])
  internet.addresses = [['10.0.0.7']]
  await addProduct(database, 'acme', 'p2')
  await until('the guard refuses a name that has moved', async () =>
    /private address/.test(
      ((await json('list', 'acme')) as unknown as { last_result: string }[])[0]?.last_result ?? '',
    ),
  )
  t.equal(received.length, 2)
})

t.test('a long transaction does not keep a sender busy', async (t) => {
  const { id, receiver, webhook } = await newWebhook()
  // More than there are places, so that some end before the last one begins.
  const hooks = 210
  await copyWebhook(webhook.webhook_id, hooks - 1)
  let statements = 0
  const reserved = database.reserved.withPlugin({
    transformQuery({ node }) {
      // Renewals run periodically, whatever happens.
      if (!JSON.stringify(node).includes('renew_webhooks')) statements += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const open = await operator.startTransaction().execute()
  await sql`select pg_current_xact_id()`.execute(open)
  await startSender(t, database, receiver, { ...byPollAlone, reserved, renewEveryMs: 100 })
  await addProduct(database, id, 'p1')
  await until('all are told', () => listNames(receiver).size === hooks)
  await until('and given back', () => areGivenBack(id))
  await until('what was told is not looked at again and again', async () => {
    const before = statements
    await quiet()
    return statements === before
  })
  t.equal(listNames(receiver).size, hooks)
  await open.commit().execute()
  await addProduct(database, id, 'p2')
  await until('and the next change is told', () => listNames(receiver).size === 2 * hooks)
})

t.test('many webhooks of one change wait in the sender, not in the queue of the database', async (t) => {
  const { id, receiver, webhook } = await newWebhook()
  const hooks = 100
  await copyWebhook(webhook.webhook_id, hooks - 1)
  const options = { role: readerRole, max: 3, applicationName: 'test', onError: () => {} }
  const db = createDb(createPool(database.url, options), { longestWaitMs: 600_000 })
  const gate = Promise.withResolvers<void>()
  const requests = Array.from({ length: 3 }, (_, n) => inTurn(db, `another-${n}`, () => gate.promise))
  const { stop } = await startSender(t, database, receiver, { db })
  t.teardown(gate.resolve)
  await addProduct(database, id, 'p1')
  await until('all are to be looked at', async () => {
    const held = await sql`
      select from webhooks where customer_id = ${id} and held_until is not null`.execute(operator)
    return held.rows.length === hooks
  })
  const { waiting } = db.queue
  t.ok(waiting > 0 && waiting < 10, `${waiting} wait`)
  gate.resolve()
  await Promise.all(requests)
  await until('all are told', () => listNames(receiver).size === hooks)
  await stop()
  await db.destroy()
})

t.test('a change during the release of a webhook is sent immediately', async (t) => {
  const { id, receiver, webhook } = await newWebhook()
  const [reached, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ofIt = new WeakSet<object>()
  let updates = 0
  const reserved = database.reserved.withPlugin({
    transformQuery({ node, queryId }) {
      if (JSON.stringify(node).includes(webhook.webhook_id)) ofIt.add(queryId)
      return node
    },
    async transformResult({ result, queryId }) {
      // The third update releases the webhook, after the message and its result.
      const isGivenBack = ofIt.has(queryId) && result.rows.some((row) => 'kept' in row) && ++updates === 3
      if (isGivenBack) reached.resolve()
      if (isGivenBack) await resumed.promise
      return result
    },
  })
  await startSender(t, database, receiver, { reserved, ...byPollAlone })
  t.teardown(resumed.resolve)
  await addProduct(database, id, 'p1')
  await reached.promise
  await addProduct(database, id, 'p2')
  await quiet()
  resumed.resolve()
  await until('it is told', () => receiver.messages().length === 2)
  t.pass()
})

t.test('changes during a delivery become one message, in order', async (t) => {
  const { id, receiver, get } = await newWebhook('products,projects')
  await startSender(t, database, receiver)
  const gate = Promise.withResolvers<number>()
  receiver.answer = () => gate.promise
  await addProduct(database, id, 'p0')
  await until('the first is under way', () => receiver.messages().length === 1)
  for (let n = 1; n <= 5; n++) await addProduct(database, id, `p${n}`)
  await sql`insert into projects (customer_id, id, project_number, title) values (${id}, 'j', 'J', 'J')`.execute(
    operator,
  )
  await quiet()
  t.equal(receiver.messages().length, 1, 'one at a time')
  receiver.answer = () => 200
  gate.resolve(200)
  await until('the rest', () => receiver.messages().length === 2)
  await quiet()
  const [first, second] = receiver.messages().map(getData)
  t.equal(receiver.messages().length, 2, 'six changes, one message')
  t.same([first?.resources, second?.resources], [['products'], ['products', 'projects']])
  const idsAfter = async (after = '') =>
    (await get(`/v1/changes?after=${after}`)).json().data.map((each: { id: string }) => each.id)
  t.equal((await idsAfter(first?.after)).length, 7)
  t.same((await idsAfter(second?.after)).sort(), ['j', 'p1', 'p2', 'p3', 'p4', 'p5'])
})

t.test('changes of another customer or of other resources are not sent', async (t) => {
  const [one, two] = [await newWebhook(), await newWebhook('projects')]
  await startSender(t, database, both(one, two))
  await addProduct(database, one.id, 'mine')
  await addProduct(database, two.id, 'theirs')
  await until('it is told', () => one.receiver.messages().length === 1)
  await quiet()
  t.equal(one.receiver.messages().length, 1)
  t.equal(two.receiver.messages().length, 0, 'products are none of its resources')
  const after = one.receiver.messages().map(getData)[0]?.after
  t.equal((await two.get(`/v1/changes?after=${after}`)).statusCode, 400, 'its token is of no use to others')
})

t.test('a failed message is repeated with growing delays and the same id', async (t) => {
  const { id, receiver, webhook, json } = await newWebhook()
  const clock = { offsetMs: 0, stoppedAt: Date.now() }
  const { disabled } = await startSender(t, database, receiver, { clock, everyMs: 10 })
  receiver.answer = () => 500
  await addProduct(database, id, 'p1')
  for (const [attempt, seconds] of [10, 20, 40, 80].entries()) {
    await until(`attempt ${attempt + 1}`, () => receiver.messages().length === attempt + 1)
    await until(
      'it is written down',
      async () => (await findState(webhook.webhook_id))?.attempts === attempt + 1,
    )
    const { next_attempt_at } = (await findState(webhook.webhook_id)) ?? {}
    t.equal(Date.parse(next_attempt_at ?? '') - (clock.stoppedAt + clock.offsetMs), seconds * 1000)
    clock.offsetMs += seconds * 1000 - 1
    await addProduct(database, id, `more-${attempt}`)
    await quiet()
    t.equal(receiver.messages().length, attempt + 1, 'not before its time, whatever changes')
    clock.offsetMs += 1
  }
  await until('the fifth', () => receiver.messages().length === 5)
  await until('it is written down', async () => (await findState(webhook.webhook_id))?.attempts === 5)
  t.equal(new Set(receiver.messages().map(({ headers }) => headers['webhook-id'])).size, 1)
  t.match(await json('list', id), [{ state: 'failing', last_result: '500' }])
  const deliveries = (await json('deliveries', webhook.webhook_id)) as unknown as Delivery[]
  t.same(
    deliveries.map(({ result }) => result),
    ['500', '500', '500', '500', '500', '204'],
    'the newest first, the test of the operator last',
  )
  t.equal(deliveries[0]?.message_id, receiver.messages()[0]?.headers['webhook-id'])
  t.equal(Date.parse(deliveries[0]?.at ?? ''), clock.stoppedAt + clock.offsetMs)

  clock.offsetMs += giveUpMs
  await until('it is given up', () => disabled.includes(webhook.webhook_id))
  t.match(await json('list', id), [{ state: 'disabled', reason: 'failing' }])
  const { rows } = await sql<{ personal: { subject: string; details: object } }>`
    select p.personal from audit_persons p join audit_entries e using (entry_id)
    where e.action = 'webhooks.disable' and p.customer = ${id}`.execute(operator)
  t.match(rows.length, 1, 'and audited')
  await addProduct(database, id, 'unsaid')
  await quiet()
  t.equal(receiver.messages().length, 6)
  await t.rejects(json('enable', webhook.webhook_id), /did not accept the test message: 500/)
  receiver.answer = () => 200
  t.match(await json('enable', webhook.webhook_id), { state: 'active', reason: null })
  await until('what waited, then what came since', () => receiver.messages().length === 8)
  const names = receiver.messages().map(({ headers }) => headers['webhook-id'])
  t.equal(names[6], names[0])
  t.not(names[7], names[0])
})

t.test('the delays double up to an hour; jitter only shortens', async (t) => {
  t.same(
    [1, 2, 3, 8, 9, 10, 80].map((attempts) => delayAfter(attempts, 0) / 1000),
    [10, 20, 40, 1280, 2560, 3600, 3600],
  )
  t.equal(delayAfter(1, 1), 9_000)
  const failing_since = new Date(0).toISOString()
  const after = (hook: Partial<LeasedWebhook>, status: number | undefined, ms: number) =>
    decide(hook as LeasedWebhook, { result: '', ...(status && { status }) }, ms, 0)
  const at = (ms: number) => after({ attempts: 5, failing_since }, undefined, ms)
  t.equal(at(giveUpMs - 1).kind, 'retry')
  t.match(at(giveUpMs), { kind: 'disable', reason: 'failing' })
  const fresh = { attempts: 0, failing_since: null }
  for (const status of [200, 204, 299]) t.equal(after(fresh, status, 0).kind, 'delivered')
  for (const status of [400, 404, 500]) t.equal(after(fresh, status, 0).kind, 'retry')
})

t.test('410 disables a webhook immediately, and later changes are not sent', async (t) => {
  const { id, receiver, json, webhook } = await newWebhook()
  const { disabled } = await startSender(t, database, receiver)
  receiver.answer = () => 410
  await addProduct(database, id, 'p1')
  await until('it is disabled', () => disabled.includes(webhook.webhook_id))
  await addProduct(database, id, 'p2')
  await quiet()
  t.equal(receiver.messages().length, 1)
  t.match(await json('list', id), [{ state: 'disabled', reason: 'gone', last_result: '410' }])
})

t.test('only one sender serves a receiver slower than a lease', async (t) => {
  const { id, receiver, webhook } = await newWebhook()
  const clock = { offsetMs: 0, stoppedAt: Date.now() }
  for (let instance = 1; instance <= 2; instance++) {
    await startSender(t, database, receiver, { clock, renewEveryMs: 20 })
  }
  const gate = Promise.withResolvers<number>()
  receiver.answer = () => gate.promise
  await addProduct(database, id, 'p1')
  await until('it is under way', () => receiver.messages().length === 1)
  for (let n = 1; n <= 5; n++) {
    clock.offsetMs += leaseMs - 1
    await until('it is renewed', async () => {
      const { held_until } = (await findState(webhook.webhook_id)) ?? {}
      return Date.parse(held_until ?? '') >= clock.stoppedAt + clock.offsetMs + leaseMs
    })
  }
  gate.resolve(200)
  await until('it is given back', async () => (await findState(webhook.webhook_id))?.held_until === null)
  t.equal(receiver.messages().length, 1)
})

t.test('an instance that has lost its lease writes no position', async (t) => {
  const { id, webhook } = await newWebhook()
  const [former, newer] = [randomUUID(), randomUUID()]
  const claim = (holder: string, at: number) =>
    claimWebhooks(database.reader, {
      holder,
      at: new Date(at).toISOString(),
      leaseMs,
      changed: [id],
      busy: [],
      most: 1,
      withFailing: true,
    })
  await addProduct(database, id, 'p1')
  const [held] = await claim(former, Date.now())
  t.equal((await claim(newer, Date.now() + leaseMs + 1_000)).length, 1, 'the lease has ended')
  const before = await findState(webhook.webhook_id)
  const changes = { token: 'x', attempts: 7, held_until: null }
  t.equal(await updateWebhook(database.reader, former, held as LeasedWebhook, changes), undefined)
  t.same(await findState(webhook.webhook_id), before)
  t.match(await updateWebhook(database.reader, newer, held as LeasedWebhook, changes), changes)
  t.match(await findState(webhook.webhook_id), { token: 'x', attempts: 7 })
})

t.test('a delivery scheduled before a clock was set back does not wait for it', async (t) => {
  const [held, delayed] = [await newWebhook(), await newWebhook()]
  const set = (change: string, id: string) =>
    sql.raw(`update webhooks set ${change} where webhook_id = '${id}'`).execute(operator)
  await set(`holder = gen_random_uuid(), held_until = now() + interval '61 minutes'`, held.webhook.webhook_id)
  await set(`next_attempt_at = now() + interval '3 hours'`, delayed.webhook.webhook_id)
  await startSender(t, database, both(held, delayed))
  for (const each of [held, delayed]) {
    await addProduct(database, each.id, 'p1')
    await until('it is told', () => each.receiver.messages().length === 1)
  }
  t.pass()
})

t.test('failing receivers leave capacity for the others', async (t) => {
  const [healthy, failing] = [await newWebhook(), await newWebhook()]
  const added = 150
  await copyWebhook(failing.webhook.webhook_id, added, {
    message_id: `'msg_' || n`,
    message_at: 'now()',
    message_resources: 'w.resources',
    message_after: 'w.token',
    attempts: '1',
    failing_since: 'now()',
    next_attempt_at: 'now()',
  })
  const gate = Promise.withResolvers<number>()
  failing.receiver.answer = () => gate.promise
  await startSender(t, database, both(healthy, failing))
  await until('they take their places', () => failing.receiver.messages().length >= 100)
  await addProduct(database, healthy.id, 'p1')
  await until('the other is told', () => healthy.receiver.messages().length === 1)
  await quiet()
  const taken = failing.receiver.messages().length
  t.ok(taken < 110, `${taken} at once`)
  gate.resolve(204)
  await until('and then the rest', () => listNames(failing.receiver).size === added)
})

t.test('at most 200 messages are sent in parallel, and the rest follows immediately', async (t) => {
  const { receiver, webhook } = await newWebhook()
  const added = 250
  await copyWebhook(webhook.webhook_id, added, {
    message_id: `'msg_' || n`,
    message_at: 'now()',
    message_resources: 'w.resources',
    message_after: 'w.token',
  })
  const gate = Promise.withResolvers<number>()
  receiver.answer = () => gate.promise
  await startSender(t, database, receiver, byPollAlone)
  await until('all places are taken', () => receiver.messages().length >= 200)
  await quiet()
  t.equal(receiver.messages().length, 200)
  gate.resolve(204)
  await until('and then the rest', () => listNames(receiver).size === added)
})

t.test('Retry-After delays the next attempt, by an hour at most', async (t) => {
  const { id, receiver, webhook } = await newWebhook()
  const clock = { offsetMs: 0, stoppedAt: Date.now() }
  await startSender(t, database, receiver, { clock, everyMs: 10 })
  receiver.answer = () => 503
  const asked: [string, number][] = [
    ['120', 120],
    ['5', 20],
    [new Date(clock.stoppedAt + (120 + 20 + 300) * 1000).toUTCString(), 300],
    ['999999', 3_600],
    ['soon', 160],
  ]
  receiver.headers = { 'retry-after': asked[0]?.[0] ?? '' }
  await addProduct(database, id, 'p1')
  for (const [index, [header, seconds]] of asked.entries()) {
    await until('it is tried', async () => (await findState(webhook.webhook_id))?.attempts === index + 1)
    const { next_attempt_at } = (await findState(webhook.webhook_id)) ?? {}
    const waits = (Date.parse(next_attempt_at ?? '') - (clock.stoppedAt + clock.offsetMs)) / 1000
    t.ok(Math.abs(waits - seconds) <= 1, `${header}: ${waits} s`)
    receiver.headers = { 'retry-after': asked[index + 1]?.[0] ?? '' }
    clock.offsetMs += waits * 1000
  }
})

t.test('two instances send one at a time, without losing or reordering messages', async (t) => {
  const { id, receiver, get } = await newWebhook()
  let underWay = 0
  let most = 0
  receiver.answer = async () => {
    underWay += 1
    most = Math.max(most, underWay)
    await new Promise((resolve) => setTimeout(resolve, 10))
    underWay -= 1
    return 200
  }
  for (let instance = 1; instance <= 2; instance++) await startSender(t, database, receiver)
  for (let n = 1; n <= 40; n++) await addProduct(database, id, `p${n}`)
  const seen = new Set<string>()
  const lastAfter = () => receiver.messages().map(getData).at(-1)?.after
  await until('the last one was told', async () => {
    const after = lastAfter()
    if (after === undefined) return false
    for (const { id: record } of (await get(`/v1/changes?after=${after}&limit=500`)).json().data)
      seen.add(record)
    return seen.has('p40')
  })
  t.equal(most, 1)
  const names = receiver.messages().map(({ headers }) => headers['webhook-id'])
  t.equal(new Set(names).size, names.length, 'each once')
  const counts: number[] = []
  for (const { after } of receiver.messages().map(getData)) {
    counts.push((await get(`/v1/changes?after=${after}&limit=500`)).json().data.length)
  }
  t.same(
    counts,
    [...counts].sort((a, b) => b - a),
    'each token is later than the one before',
  )
  t.equal(counts[0], 40, 'the first leads to all')
})

t.test('after a restore or a fail-over, the message asks for a full read', async (t) => {
  const { id, receiver, webhook } = await newWebhook()
  const { rows } = await sql<{ token: string }>`
    select token from webhooks where webhook_id = ${webhook.webhook_id}`.execute(operator)
  const token = tokens.decode(id, rows[0]?.token ?? '') as SyncToken
  const lost = tokens.encode(id, { ...token, identity: 'another' })
  await sql`update webhooks set identity = 'another', token = ${lost} where webhook_id = ${webhook.webhook_id}`.execute(
    operator,
  )
  await startSender(t, database, receiver)
  await until('it is told', () => receiver.messages().length === 1)
  t.same(receiver.messages().map(getData), [{ resources: ['products'], after: 'snapshot' }])
})

t.test('when a resource becomes distrusted, one message asks for a full read', async (t) => {
  const { id, receiver } = await newWebhook()
  await startSender(t, database, receiver)
  await distrust(database.reserved, ['products'])
  await until('it is told', () => receiver.messages().length === 1)
  t.same(receiver.messages().map(getData), [{ resources: ['products'], after: 'snapshot' }])
  await regainTrust(database.reserved)
  await addProduct(database, id, 'p')
  await until('the next message', () => listNames(receiver).size === 2)
  t.not(getData(receiver.messages().at(-1) as Received).after, 'snapshot')
})

t.test('an outage of the database loses no message', async (t) => {
  const { id, receiver } = await newWebhook()
  const way = await createSeverable(database.url)
  const db = way.openDb(3)
  const { stop, warnings } = await startSender(t, database, receiver, { db, reserved: db })
  receiver.answer = () => {
    way.sever()
    return 200
  }
  await addProduct(database, id, 'p1')
  await until('it was sent, but not written down', () => receiver.messages().length === 1)
  await until('it is said', () => warnings.length === 1)
  receiver.answer = () => 200
  await way.mend()
  await until('it is repeated', () => receiver.messages().length >= 2)
  t.equal(listNames(receiver).size, 1)
  await addProduct(database, id, 'p2')
  await until('and goes on', () => listNames(receiver).size === 2)
  await stop()
  await db.destroy()
  await way.close()
})

t.test('sends no message without API access, and all changes of the pause once it is restored', async (t) => {
  const { id, receiver } = await newWebhook()
  await startSender(t, database, receiver)
  const set = (change: string) =>
    sql.raw(`update customers set ${change} where customer_id = '${id}'`).execute(operator)
  await set('suspended_at = now()')
  await addProduct(database, id, 'p1')
  await quiet()
  t.equal(receiver.messages().length, 0)
  await set(`suspended_at = null, plan = 'basic'`)
  await quiet()
  t.equal(receiver.messages().length, 0)
  await set(`plan = 'premium'`)
  await until('it is told', () => receiver.messages().length === 1)
})

t.test('a day on which a certificate expires sends a message', async (t) => {
  const { id, receiver } = await newWebhook('certificates')
  await sql`insert into certificates (customer_id, id, number, title, approval_status, valid_until)
    values (${id}, 'c', 'C', 'C', 'approved', current_date)`.execute(operator)
  const clock = { offsetMs: 0 }
  await startSender(t, database, receiver, { clock })
  await until('the record itself', () => receiver.messages().length === 1)
  await quiet()
  clock.offsetMs = 86_400_000
  await until('its end', () => receiver.messages().length === 2)
})

t.test('the commands refuse addresses, send tests, and allow ten webhooks for a customer', async (t) => {
  const { id, receiver, cli, json, url, webhook } = await newWebhook()
  for (const wrong of [
    'http://a.example.com/',
    'https://a.example.com:8443/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://u:p@a.example.com/',
    'nonsense',
  ]) {
    t.match(await cli('add', id, wrong), { code: 2, stderr: /expected|is private/ }, wrong)
  }
  t.equal((await cli('add', id, url, '--resources', 'prodcts')).code, 2)
  t.equal((await cli('add', 'nobody', url)).code, 1)
  t.equal((await cli('test', 'wh_0000000000000000')).code, 1)
  t.match(await cli('remove', 'nothing', '--yes'), { code: 1, stderr: /: see certdata webhooks list/ })
  receiver.answer = () => 404
  const refused = await cli('add', id, `${url}'s`)
  t.equal(refused.code, 1)
  t.match(
    refused.stderr,
    `did not accept the test message: 404. Correct it, then run: certdata webhooks add ${id} '${url}'\\''s'`,
  )
  t.equal(((await json('list', id)) as unknown as object[]).length, 1, 'a failed add leaves nothing behind')
  receiver.answer = () => 200
  t.match(await json('test', webhook.webhook_id), { state: 'active', last_result: '200' })
  const added = await Promise.all(Array.from({ length: 10 }, () => cli('add', id, url)))
  t.equal(added.filter(({ code }) => code === 0).length, 9)
  t.match(added.find(({ code }) => code === 1)?.stderr, /has 10 webhooks/)
  const tests = receiver.received.length
  t.match(await cli('add', id, url), { code: 1, stderr: /has 10 webhooks/ })
  t.equal(receiver.received.length, tests, 'refused before the test message')
  t.match(await json('disable', webhook.webhook_id), { state: 'disabled', reason: 'operator' })
  t.match(await cli('remove', webhook.webhook_id), { code: 1, stderr: /deleted for good.*--yes/ })
  t.match(await json('remove', webhook.webhook_id, '--yes'), { webhook_id: webhook.webhook_id })
  t.equal(((await json('list', id)) as unknown as object[]).length, 9)
  const { rows } = await sql<{ action: string }>`
    select distinct e.action from audit_entries e join audit_persons p using (entry_id)
    where p.customer = ${id} and e.action like 'webhooks.%' order by 1`.execute(operator)
  t.same(
    rows.map(({ action }) => action),
    ['add', 'disable', 'list', 'remove', 'test'].map((name) => `webhooks.${name}`),
  )
})

t.test('the delivery log has the last 20 attempts of each webhook', async (t) => {
  const [one, other] = [await newWebhook(), await newWebhook()]
  const delivery = `json_build_object('at', now(), 'message_id', 'msg_' || n, 'result', 'certificate has expired')`
  await sql
    .raw(`select log_webhook_delivery('${one.id}', '${one.webhook.webhook_id}', ${delivery})
      from generate_series(1, 30) n`)
    .execute(operator)
  const listed = (await one.json('deliveries', one.webhook.webhook_id)) as unknown as Delivery[]
  t.same(
    listed.map(({ message_id }) => message_id),
    Array.from({ length: 20 }, (_, n) => `msg_${30 - n}`),
  )
  const stored = await sql`select from webhook_deliveries where customer_id = ${one.id}`.execute(operator)
  t.equal(stored.rows.length, 20)
  t.match(await other.json('deliveries', other.webhook.webhook_id), [{ result: '204' }])
  t.match(await one.cli('deliveries', 'wh_0000000000000000'), { code: 1, stderr: /There is no webhook/ })
})

t.test('a stopped sender receives no more changes', async (t) => {
  const listeners = new Set<Listener>()
  const { stop } = startWebhooks({
    db: database.reader,
    reserved: database.reserved,
    tokens,
    now: Date.now,
    proveEmpty: async () => undefined,
    deliver: async () => ({ result: '' }),
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    warn: (message) => t.fail(message),
    onAttempt: () => {},
  })
  t.equal(listeners.size, 1)
  await stop()
  t.equal(listeners.size, 0)
})

t.test('a sender that stops waits for its message and writes the result down', async (t) => {
  const { id, receiver, webhook } = await newWebhook()
  const { stop } = await startSender(t, database, receiver)
  const gate = Promise.withResolvers<number>()
  receiver.answer = () => gate.promise
  await addProduct(database, id, 'p1')
  await until('it is under way', () => receiver.messages().length === 1)
  let hasStopped = false
  const stopped = stop().then(() => {
    hasStopped = true
  })
  await quiet()
  t.notOk(hasStopped)
  gate.resolve(200)
  await stopped
  t.match(await findState(webhook.webhook_id), { message_id: null, attempts: 0 })
})

const erases = { skip: withoutPersonalData }

t.test('webhooks are exported and erased with their customer, even during a message', erases, async (t) => {
  const { id, receiver, webhook } = await newWebhook()
  const { stop } = await startSender(t, database, receiver)
  const other = await startSender(t, database, receiver)
  const gate = Promise.withResolvers<number>()
  receiver.answer = () => gate.promise
  await addProduct(database, id, 'p1')
  await until('it is under way', () => receiver.messages().length === 1)
  const { webhooks, webhook_deliveries: deliveries } = await exportCustomer(database, id)
  t.match(webhooks, [{ url: webhook.url }])
  t.equal(webhooks?.length, 1)
  t.match(deliveries, [{ result: '204' }])
  const owner = connectOwner(database)
  t.match(await eraseCustomer(database, id), { rows: { webhooks: 1, webhook_deliveries: 1 } })
  gate.resolve(200)
  await quiet()
  t.equal(receiver.messages().length, 1, 'no instance sends another one')
  await Promise.all([stop(), other.stop()])
  const left = await sql`
    select customer_id from webhooks where customer_id = ${id}
    union all select customer_id from webhook_deliveries where customer_id = ${id}`.execute(owner)
  t.equal(left.rows.length, 0)
  await owner.destroy()
})

t.test('during a rotation of SECRET_KEY, messages have both signatures', async (t) => {
  const [former, fresh] = ['a'.repeat(40), 'b'.repeat(40)]
  const both = createWebhookKeys(createSecrets([fresh, former]))
  const alone = createWebhookKeys(createSecrets([former]))
  t.same(both.published.keys[1], alone.published.keys[0])
  t.equal(both.sign('m', 1, Buffer.from('x')).split(' ')[1], alone.sign('m', 1, Buffer.from('x')))
})
