import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { parseSnapshot } from '../../../app/cache/snapshot.ts'
import { createSecrets } from '../../../app/config/secrets.ts'
import { parseFeedQuery } from '../../../app/features/feed/query.ts'
import { createTokenCodec } from '../../../app/features/feed/token.ts'
import { formatPairs, parsePairs } from '../../../app/http/pairs.ts'
import { importRecords } from '../../../app/import/index.ts'
import { loadReferenceData } from '../../../app/local/reference/load.ts'
import { resourceNames, resources } from '../../../app/records/resources/index.ts'
import { problem } from '../../../schemas/problem.ts'
import { asCustomer, closeAfter, createTestApp, createTestDatabase, secretKey } from '../../helper.ts'
import { createDocumentChecks, listPairs, type DocumentNode as Node } from '../../openapi-document.ts'

const path = '/v1/changes'
const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)

const served = await app.inject('/openapi.json')
const document = served.json()
const { resolve, validate, listFaults, listParameters, listNames } = createDocumentChecks(served)

const examples = readFileSync(join(import.meta.dirname, '../../../examples/records.ndjson'))
const importExample = (customer: string) =>
  importRecords(database.operator, ReadableStream.from([examples]), { customer })

/** The documented filters of the feed, with the resources that their descriptions name. */
const feedFilters = listParameters(path)
  .filter(({ style }) => style === 'deepObject')
  .map((parameter) => ({
    ...parameter,
    owners: /Only for ([a-z_, ]+)\.$/.exec(parameter.description)?.[1]?.split(', ') ?? [],
  }))

const isTakenByFeed = (...pairs: (readonly [string, string])[]) =>
  'query' in parseFeedQuery(parsePairs(formatPairs(pairs)))

t.test('the feed accepts exactly the documented filters of a resource', async (t) => {
  t.same(new Set(feedFilters.flatMap(({ owners }) => owners)), new Set(resourceNames))
  const operators = [...new Set(feedFilters.flatMap(listNames).flatMap((name) => /\[.+\]$/.exec(name) ?? []))]
  t.ok(operators.length >= 10)
  for (const resource of resourceNames) {
    const own = feedFilters.filter(({ owners }) => owners.includes(resource)).flatMap(listNames)
    const listed = listParameters(`/v1/${resource}`)
    const bases = new Set([...resources[resource].fields.keys(), ...feedFilters.map(({ name }) => name)])
    const pairs = [...bases].flatMap((base) => {
      const found = [...listed, ...feedFilters].find(({ name }) => name === base)
      const [, list = 'x'] = found ? (listPairs(found)[0] ?? []) : []
      const [value = ''] = list.split(',')
      return ['', ...operators].map(
        (operator) => [`${base}${operator}`, operator === '[null]' ? 'true' : value] as const,
      )
    })
    t.ok(pairs.length > own.length + 100)
    const taken = pairs.filter((pair) => isTakenByFeed(['resources', resource], pair))
    t.same(taken.map(([name]) => name).sort(), own.sort(), resource)
  }
  for (const pair of feedFilters.flatMap(listPairs)) {
    t.notOk(isTakenByFeed(['resources', resourceNames.join()], pair), 'not with several resources')
    t.notOk(isTakenByFeed(pair), 'not without a resource')
  }
})

t.test('the feed documents its own parameters', async (t) => {
  const names = document.paths[path].get.parameters.map((each: { name?: string }) => each.name)
  for (const name of ['previous', 'fields', 'Last-Event-Id']) t.ok(names.includes(name), name)
})

t.test('defaults are accepted, also for the whole state', async (t) => {
  const { get } = await asCustomer(database, app, 'defaults')
  const defaults = listParameters(path).filter(({ schema }) => schema.default !== undefined)
  t.ok(defaults.length > 2)
  const query = defaults.map(({ name, schema }) => `${name}=${schema.default}`).join('&')
  t.equal((await get(`${path}?${query}`)).statusCode, 200)
  const accept = 'application/x-ndjson'
  t.equal((await get(`${path}?${query}&after=snapshot`, { accept })).statusCode, 200)
  t.equal((await get(`${path}?after=snapshot&wait=1`)).statusCode, 400)
  t.equal((await get(path, { 'last-event-id': '' })).statusCode, 200)
})

/** Returns a sync token of another database. */
const formerToken = (customerId: string) =>
  createTokenCodec(createSecrets([secretKey])).encode(customerId, {
    identity: 'former',
    issuedAt: 0,
    resources: ['products'],
    moment: { day: '2026-01-01', window: 90 },
    base: parseSnapshot('3:3:'),
    baseAt: '2026-01-01T00:00:00.000000Z',
    mark: '',
  })

t.test('the errors of sync tokens are documented', async (t) => {
  const { get } = await asCustomer(database, app, 'errors')
  for (const [token, code] of [
    ['x', 'invalid_sync_token'],
    [formerToken('errors'), 'sync_token_expired'],
  ] as const) {
    const answer = await get(`${path}?after=${token}`)
    t.equal(answer.json().code, code)
    const { content } = resolve(document.paths[path].get.responses[answer.statusCode])
    t.ok(code in content['application/problem+json'].examples, code)
    t.same(listFaults(path, 'get', answer), [])
    t.same(problem.safeParse(answer.json()).error?.issues ?? [], [])
  }
})

t.test('answers match the document', async (t) => {
  const { get } = await asCustomer(database, app, 'acme')
  await loadReferenceData(database.operator)
  await importExample('acme')
  const lines = await get(`${path}?after=snapshot`)
  t.equal(lines.headers['content-type'], 'application/x-ndjson')
  const changes = lines.body.trimEnd().split('\n')
  t.ok(changes.length > 10)
  const schema = { $ref: '#/components/schemas/Change' } as Node
  const faults = changes
    .map((line) => JSON.parse(line))
    .flatMap((change) => {
      // Only the description of `data` names the schema of each record.
      const { name } = resources[change.resource as keyof typeof resources]
      const record = resources[name].schema.meta()?.id
      t.match(document.components.schemas.Change.properties.data.description, `${name}: ${record}`)
      const own = validate({ $ref: `#/components/schemas/${record}` } as Node, change.data)
      return [...validate(schema, change), ...own]
    })
  t.same(faults, [])
  const readChanges = async () => {
    const page = await get(`${path}?after=${lines.headers['sync-token']}`)
    return { page, ops: new Set(page.json().data.map((each: { op: string }) => each.op)) }
  }
  await sql`update products set brand = 'another' where id = 'P-110'`.execute(database.operator)
  await sql`delete from lab where id = 'L-2'`.execute(database.operator)
  const { page, ops } = await readChanges()
  t.same(ops, new Set(['upsert', 'delete']))
  t.same(listFaults(path, 'get', page), [])
})
