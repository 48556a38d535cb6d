import { sql } from 'kysely'
import t from 'tap'
import { createSecrets } from '../../../app/config/secrets.ts'
import { createWebhookKeys } from '../../../app/features/webhooks/keys.ts'
import { createSearch, type Entry } from '../../../app/site/browser/search.js'
import {
  createClient,
  createWebhookVerifier,
  type WebhookKey,
} from '../../../clients/typescript/src/index.ts'
import { addCustomer, closeAfter, connectOwner, createTestDatabase, listenTestApp } from '../../helper.ts'
import { createDocumentChecks } from '../../openapi-document.ts'
import { startTestTasks } from '../../tasks.ts'
import { createCommands, createReceiver, secrets } from './stage.ts'

/** The places at which the whole service shows this feature. */

const database = await createTestDatabase()
const { app, origin } = await listenTestApp(database)
closeAfter(t, app, database)

t.test('the description of a message matches the messages', async (t) => {
  const served = await app.inject('/openapi.json')
  const { paths, webhooks } = served.json()
  const { validate } = createDocumentChecks(served)
  const { post } = webhooks.changesAvailable
  const { schema, example } = post.requestBody.content['application/json']
  t.same(validate(schema, example), [])
  t.match(example, { type: 'changes.available', data: { after: String } }, 'with the token to read from')
  const data = { resources: ['certificates'] }
  const sent = { type: 'webhook.test', timestamp: '2026-11-26T09:00:00.000Z', data }
  t.same(validate(schema, sent), [])
  t.not(validate(schema, { ...sent, type: 1 }).length, 0)
  t.same(
    post.parameters.map(({ name }: { name: string }) => name),
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  )
  const tagsOfPaths = Object.values<Record<string, { tags: string[] }>>(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ tags }) => tags),
  )
  t.notOk(tagsOfPaths.includes(post.tags[0]), 'generators would write its file over that of a path')
})

t.test('the search finds the guide, also with a typing error', async (t) => {
  const search = createSearch((await app.inject('/docs/search.json')).json() as Entry[])
  for (const query of ['webhook', 'Webhooks', 'webhok', 'webohok'])
    t.equal(search(query)[0]?.path, '/docs/guides/webhooks', query)
})

t.test('an instance that stops ends the sending before it waits for requests', async (t) => {
  const figures: string[] = []
  const { listeners, quiet, stop } = await startTestTasks(
    database,
    (added) => void figures.push(...added.map(({ name }) => name)),
  )
  t.equal(listeners.size, 1)
  t.ok(figures.includes('certdata_webhook_attempts_total'))
  quiet()
  t.equal(listeners.size, 0)
  await stop()
})

t.test('a webhook verifier reads keys once an hour, and again if no signature matches', async (t) => {
  const [former, present] = ['former', 'present'].map((name) =>
    createWebhookKeys(createSecrets([name.repeat(8)])),
  )
  const published = (...keys: (typeof former)[]) => keys.flatMap((each) => each?.published.keys ?? [])
  let keys: readonly WebhookKey[] = published(former)
  let now = Date.parse('2026-11-26T09:00:00Z')
  let reads = 0
  const readKeys = async () => {
    reads += 1
    return keys
  }
  const verify = createWebhookVerifier(readKeys, () => now)
  const send = (signer = former) => {
    const body = '{"type":"changes.available","timestamp":"t","data":{}}'
    const seconds = Math.floor(now / 1000)
    const signature = signer?.sign('msg_1', seconds, Buffer.from(body))
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(seconds),
      'webhook-signature': signature,
    }
    return verify({ headers, body }).then(
      ({ id }) => id,
      ({ reason }) => reason,
    )
  }
  t.same(await Promise.all([send(), send()]), ['msg_1', 'msg_1'])
  t.equal(reads, 1, 'simultaneous messages share a read')
  t.equal(await send(present), 'wrong_signature')
  t.equal(reads, 1, 'not within a minute')
  keys = published(present)
  now += 60_000
  t.equal(await send(present), 'msg_1')
  t.equal(reads, 2)
  t.equal(await send(former), 'wrong_signature')
  now += 60_000
  t.equal(await send(former), 'wrong_signature')
  t.equal(reads, 3)
  now += 3_600_000
  t.equal(await send(present), 'msg_1')
  t.equal(reads, 4)
})

t.test('the client verifies a message with the keys that the service publishes', async (t) => {
  const client = createClient({ url: origin, apiKey: await addCustomer(database, 'receiver') })
  const seconds = Math.floor(Date.now() / 1000)
  const signature = createWebhookKeys(secrets).sign('m', seconds, Buffer.from('{}'))
  const headers = { 'webhook-id': 'm', 'webhook-timestamp': String(seconds), 'webhook-signature': signature }
  t.same(await client.verifyWebhook({ headers, body: '{}' }), { id: 'm' })
  t.equal(
    await client.verifyWebhook({ headers, body: '{} ' }).catch(({ reason }) => reason),
    'wrong_signature',
  )
  const parsed = client.verifyWebhook({ headers, body: {} as string })
  await t.rejects(parsed, /as it came/, 'a body that was parsed is a fault of the receiver')
})

t.test('the commands show no column that the operator has added', async (t) => {
  const marker = 'only-for-the-operator'
  const owner = connectOwner(database)
  t.teardown(() => owner.destroy())
  for (const table of ['webhooks', 'webhook_deliveries'])
    await sql.raw(`alter table ${table} add column operator_note text default '${marker}'`).execute(owner)
  await addCustomer(database, 'hooked')
  const { cli, json } = createCommands(database, createReceiver('hooked.example.com'))
  const { webhook_id: id } = await json('add', 'hooked', 'https://hooked.example.com/')
  for (const words of [['list'], ['deliveries', id], ['test', id], ['disable', id]]) {
    const { stdout, code } = await cli(...words)
    t.equal(code, 0, words.join(' '))
    t.notMatch(stdout, marker, words.join(' '))
  }
})
