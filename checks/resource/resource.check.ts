import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { makeDataFolder } from '../../test/servers.ts'
import { createCopy, runInCopy } from '../copy.ts'
import { edits } from './edits.ts'

/**
 * Adds a resource to a copy with exactly three new files, starts the service, and reads the resource in each way that a
 * client has. See docs/decisions/0259-resources-are-found-in-their-folder.md.
 */

const name = 'factory_inspections'
const list = `/v1/${name}`
const patienceMs = 10_000

const folder = makeDataFolder('resource')
createCopy(folder)
const replaced = Object.keys(edits).filter((path) => existsSync(join(folder, path)))
for (const [path, text] of Object.entries(edits)) writeFileSync(join(folder, path), text)

type Tools = typeof import('../../clients/tools/service.ts')
const { startService }: Tools = await import(pathToFileURL(join(folder, 'clients/tools/service.ts')).href)
const noLimits = { LIMIT_PREMIUM_BURST: '100000', LIMIT_PREMIUM_MINUTE: '1000000' }
const service = await startService(noLimits)
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

const addCustomer = async (customer: string): Promise<string> => {
  await service.certdata('customers', 'add', customer, '--name', customer, '--plan', 'premium')
  return JSON.parse(await service.certdata('keys', 'issue', customer, '--json')).api_key
}

const createGet = async (apiKey: string) => {
  const login = await fetch(`${service.url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  })
  const { access_token } = (await login.json()) as { access_token: string }
  return (path: string): Promise<Response> =>
    fetch(service.url + path, { headers: { authorization: `Bearer ${access_token}` } })
}

const apiKey = await addCustomer('acme')
const get = await createGet(apiKey)
const getOther = await createGet(await addCustomer('other'))

const readJson = async (path: string) => {
  const answer = await get(path)
  const body = await answer.text()
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${body}`)
  return JSON.parse(body)
}
const listIds = async (query: string): Promise<string[]> =>
  (await readJson(`${list}?${query}`)).data.map(({ id }: { id: string }) => id)

type Line = Readonly<Record<string, unknown>>

const importLines = (lines: readonly Line[]): Promise<string> => {
  const file = join(folder, 'records.ndjson')
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'))
  return service.certdata('import', file, '--customer', 'acme')
}

const records: readonly Line[] = Array.from({ length: 6 }, (_, n) => ({
  resource: name,
  id: `ins-${n}`,
  inspection_number: `INS-${n}`,
  status: n < 4 ? 'passed' : 'planned',
  product_id: n === 0 ? 'P-1' : null,
  inspected_on: n < 4 ? `2026-03-0${n + 1}` : null,
  faults: n,
  inspector: n === 1 ? 'Zoë Example' : null,
  tags: n === 2 ? ['annual', 'abroad'] : [],
}))

t.test('a resource is three new files', async (t) => {
  t.equal(Object.keys(edits).length, 3)
  t.same(replaced, [])
})

t.test('the types fit', async (t) => {
  t.ok(await runInCopy(folder, ['node_modules/typescript/bin/tsc', '--noEmit']))
})

t.test('import', async (t) => {
  await importLines([{ resource: 'products', id: 'P-1', name: 'Gateway' }, ...records])
  const table = join(folder, 'records.csv')
  writeFileSync(table, 'id,inspection_number,status\nins-6,INS-6,failed\n')
  await service.certdata('import', table, '--customer', 'acme', '--resource', name)
  const endsAt = performance.now() + patienceMs
  while (!(await listIds('fields=id')).includes('ins-6') && performance.now() < endsAt) await delay(20)
  t.equal((await listIds('fields=id')).length, 7)
  const wrong = importLines([{ resource: name, id: 'x', inspection_number: 'X', status: 'lost' }])
  await t.rejects(wrong, /status must be one of/)
})

t.test('list, item and include', async (t) => {
  const page = await readJson(`${list}?sort=-inspected_on&limit=2&count=exact`)
  t.match(page, {
    data: [{ inspected_on: null }, { inspected_on: null }],
    page: { total: 7, has_more: true },
  })
  t.equal(
    (await readJson(`${list}?sort=-inspected_on&limit=2&cursor=${page.page.next_cursor}`)).data.length,
    2,
  )
  t.match((await readJson(`${list}/ins-2`)).data, {
    id: 'ins-2',
    is_open: false,
    faults: 2,
    tags: ['annual', 'abroad'],
  })
  const { data, included } = await readJson(`${list}/ins-0?include=product`)
  t.same([data.product_id, included.products['P-1'].name], ['P-1', 'Gateway'])
  t.equal((await getOther(`${list}/ins-0`)).status, 404, 'of another customer')
  t.match(await (await getOther(list)).text(), /^\{"data":\[\],/)
})

t.test('filters', async (t) => {
  const found: Readonly<Record<string, string[]>> = {
    'id=ins-1,ins-2': ['ins-1', 'ins-2'],
    'inspection_number[prefix]=INS-3': ['ins-3'],
    'status=failed': ['ins-6'],
    'product_id[null]=false': ['ins-0'],
    'inspected_on[gte]=2026-03-03': ['ins-2', 'ins-3'],
    'is_open=true': ['ins-4', 'ins-5'],
    'tags[all]=annual,abroad': ['ins-2'],
    'q=zoe': ['ins-1'],
  }
  for (const [query, ids] of Object.entries(found)) t.same(await listIds(query), ids, query)
  const wrong = await get(`${list}?statsu=failed`)
  t.match(await wrong.json(), { status: 400, errors: [{ did_you_mean: 'status' }] })
})

t.test('export', async (t) => {
  const lines = (await (await get(`${list}?format=ndjson`)).text()).trimEnd().split('\n')
  t.equal(lines.length, 7)
  const csv = await (await get(`${list}?format=csv&fields=id,product.name&id=ins-0`)).text()
  t.equal(csv, 'id,product.name\r\nins-0,Gateway\r\n')
  const xlsx = Buffer.from(await (await get(`${list}?format=xlsx`)).arrayBuffer())
  t.equal(xlsx.toString('latin1', 0, 2), 'PK')
  t.match(await service.certdata('customers', 'export', 'acme'), new RegExp(`"${name}"`))
})

t.test('feed and history', async (t) => {
  const snapshot = await get(`/v1/changes?after=snapshot&resources=${name}`)
  t.equal((await snapshot.text()).trimEnd().split('\n').length, 7)
  const token = snapshot.headers.get('sync-token') ?? ''
  await importLines([{ ...records[4], status: 'passed' }])
  const changes = await readJson(`/v1/changes?wait=10&after=${encodeURIComponent(token)}`)
  t.match(changes.data, [{ op: 'upsert', resource: name, id: 'ins-4', data: { status: 'passed' } }])
  const changed = { status: { from: 'planned', to: 'passed' }, is_open: { from: true, to: false } }
  for (const path of [`${list}/ins-4/history`, `/v1/history?resource=${name}`])
    t.match((await readJson(path)).data[0], { resource: name, id: 'ins-4', op: 'update', changes: changed })
  t.match((await readJson(`${list}/ins-4?as_of=today`)).data, { status: 'passed' })
})

t.test('scopes, OpenAPI and the start page', async (t) => {
  t.ok((await readJson('/v1/me')).data.scopes.includes(`${name}:read`))
  const { paths, components, tags } = await readJson('/openapi.json')
  t.match(paths, {
    [list]: { get: {} },
    [`${list}/{id}`]: { get: {} },
    [`${list}/{id}/history`]: { get: {} },
  })
  t.ok(components.schemas.FactoryInspection.properties.is_open)
  t.ok(tags.some((tag: { name: string }) => tag.name === 'Factory inspections'))
  const home = await (await fetch(service.url)).text()
  t.match(home, /<code>\/v1\/factory_inspections<\/code><\/a><\/dt><dd>Visits of factories/)
})

t.test('verify keeps its promises', async (t) => {
  const out = await service.certdata('verify', service.url, '--key', apiKey, '--json')
  const { ok, promises } = JSON.parse(out)
  const of = promises.filter(({ promise }: { promise: string }) => promise.split(' ').includes(name))
  t.ok(ok)
  t.same(
    of.map(({ outcome }: { outcome: string }) => outcome),
    ['kept', 'kept', 'kept'],
  )
})

t.test('a file without its definition stops the start', async (t) => {
  const file = join(folder, 'app/records/resources/visits.ts')
  writeFileSync(file, 'export const visit = {}')
  const index = pathToFileURL(join(folder, 'app/records/resources/index.ts')).href
  await t.rejects(import(index), /visits\.ts exports no definition visits/)
  rmSync(file)
})

t.test('one command writes the generated files', async (t) => {
  t.ok(await runInCopy(folder, ['checks/write-generated.ts']))
  const written: Readonly<Record<string, string>> = {
    'app/db/schema.sql': 'factory_inspections_before()',
    'test/records/versions/factory_inspections.txt': 'version 1',
    'clients/typescript/src/types.ts': 'factory_inspections: {',
    'clients/python/src/certdata_client/resources.py': 'factory_inspections: AsyncResource[',
  }
  for (const [path, text] of Object.entries(written))
    t.ok(readFileSync(join(folder, path), 'utf8').includes(text), path)
  t.ok(await runInCopy(folder, ['test/records/versions.test.ts']), 'no version is raised')
})

t.test('indexes serve its lists, sorts and filters', async (t) => {
  t.ok(await runInCopy(folder, ['test/db/plans.test.ts']))
})
