import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { listEntries } from '../../../app/audit/list.ts'
import { loadData } from '../../../app/features/custom/shipped.ts'
import { createCommandLine } from '../../command-line.ts'
import {
  addCustomer,
  asCustomer,
  closeAfter,
  createTestApp,
  createTestDatabase,
  secretKey,
  until,
} from '../../helper.ts'
import { createStage } from './stage.ts'

const root = join(import.meta.dirname, '../../..')
const folder = t.testdir()
const database = await createTestDatabase()
await addCustomer(database, 'demo')
await loadData(database.operator)
const app = await createTestApp(database)
closeAfter(t, app, database)
const { run } = createStage(database)
const { get } = await asCustomer(database, app, 'acme')

const { cli: certdata, json } = createCommandLine({ DATABASE_URL: database.url }, 'custom')

const write = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
const good = write(
  'good.yaml',
  'name: mine\nrevision: 1\ntitle: Mine\nobject: { n: { count: { from: lab } } }\n',
)
const changed = write(
  'changed.json',
  '{"name": "mine", "revision": 1, "object": {"n": {"count": {"from": "projects"}}}}',
)
const bad = write('bad.yaml', 'name: mine\nrevision: 2\nobject: { n: { count: { from: labs } }, m: 5 }\n')
const status = async (path: string) => (await get(path)).statusCode
const live = (code: number) => until(`${code}`, async () => (await status('/v1/custom/mine')) === code)

t.test('applies documents', async (t) => {
  const [checked, described, refused, reported, missing, nothing] = await Promise.all([
    certdata('check', good),
    json('check', good),
    certdata('check', bad),
    json('apply', bad),
    certdata('check', join(folder, 'none.yaml')),
    certdata('check'),
  ])
  t.match(checked, { code: 0, stdout: /good\.yaml is good/, stderr: '' })
  t.same(await run(`select from custom_endpoints where name = 'mine'`), [], 'a check writes nothing')
  t.same(described, { ok: true, name: 'mine', revision: 1, params: [], reads: ['lab'] })
  t.match(refused, { code: 1, stdout: '' })
  t.match(refused.stderr, /object\.n\.count\.from: expected one of: .* \(did you mean lab\?\)\n.*object\.m: /)
  t.match(reported, {
    ok: false,
    faults: [{ path: 'object.n.count.from', did_you_mean: 'lab' }, { path: 'object.m' }],
  })
  t.same(await run(`select from custom_endpoints where name = 'mine'`), [], 'nothing is applied in part')
  t.match(missing, { code: 1, stderr: /cannot be read/ })
  t.match(nothing, { code: 2 })

  t.same(await json('apply', good), { name: 'mine', revision: 1, outcome: 'applied' })
  t.same(await json('apply', good), { name: 'mine', revision: 1, outcome: 'unchanged' })
  t.match(await certdata('apply', changed), {
    code: 1,
    stderr: /revision 1 with other content: set the revision of this document to 2/,
  })
})

t.test('grants and revokes while the service runs', async (t) => {
  await live(404)
  t.match(await json('grant', 'mine', 'acme'), {
    name: 'mine',
    everyone: false,
    granted: ['acme'],
    revoked: [],
  })
  await live(200)
  t.match(await certdata('revoke', 'mine', 'acme'), { code: 0 })
  await live(404)
  t.match(await json('grant', 'mine', '--everyone'), { everyone: true, revoked: ['acme'] })
  const refusals = await Promise.all([
    certdata('grant', 'mine', 'nobody'),
    certdata('grant', 'mien', 'acme'),
    certdata('grant', 'mine'),
    certdata('grant', 'mine', 'acme', '--everyone'),
  ])
  t.match(refusals, [
    { code: 1, stderr: /There is no customer nobody/ },
    { code: 1, stderr: /There is no custom endpoint mien: did you mean mine\?/ },
    { code: 2, stderr: /either a customer or --everyone/ },
    { code: 2 },
  ])
  const listed = await json('list')
  t.match(listed, [
    { name: 'dashboard-overview', revision: 1, everyone: true },
    { name: 'market-access', everyone: false, granted: ['demo'] },
    { name: 'mine', revision: 1, title: 'Mine', everyone: true, revoked: ['acme'] },
  ])
  const asked = await certdata('remove', 'mine')
  t.match(asked, { code: 1, stdout: '', stderr: /The endpoint mine, its documents up to revision/ })
  t.same(await json('remove', 'mine', '--yes'), { name: 'mine', outcome: 'removed' })
  t.match(await certdata('remove', 'mine', '--yes'), { code: 1, stderr: /There is no custom endpoint mine/ })
  t.match(await certdata('remove', 'nothing', '--yes'), { code: 1, stderr: /: see certdata custom list/ })
  t.same(await run(`select from custom_grants where name = 'mine'`), [])
  t.match((await certdata('--help')).stdout, /check.*apply.*list.*grant.*revoke.*remove/s)
})

t.test('the audit trail has every command that changed something', async (t) => {
  const entries = (await listEntries(database.operator, { limit: 100 })).reverse()
  t.same(
    entries
      .filter(({ action }) => action.startsWith('custom.'))
      .map(({ action, subject, customer, details }) => [action, subject, customer, details]),
    [
      ['custom.apply', 'mine', null, { revision: 1, previous: null }],
      ['custom.grant', 'mine', 'acme', null],
      ['custom.revoke', 'mine', 'acme', null],
      ['custom.grant', 'mine', null, { everyone: true }],
      ['custom.list', null, null, null],
      ['custom.remove', 'mine', null, null],
    ],
  )
})

t.test('migrate installs the shipped documents once and keeps the operator’s changes', async (t) => {
  t.same(await loadData(database.operator), [], 'again: nothing')
  await certdata('revoke', 'dashboard-overview', '--everyone')
  await certdata('remove', 'market-access', '--yes')
  const text = readFileSync(join(root, 'app/features/custom/shipped/dashboard-overview.yaml'), 'utf8')
  const own = write('own.yaml', text.replace('revision: 1', 'revision: 5'))
  t.match(await json('apply', own), { outcome: 'applied' })
  t.same(await loadData(database.operator), [])
  await run(`update reference_data set digest = 'of an earlier release' where name like 'custom/%'`)
  t.same(await loadData(database.operator), ['market-access'], 'the next release brings it again')
  t.match(await json('list'), [
    { name: 'dashboard-overview', revision: 5, everyone: false },
    { name: 'market-access', granted: [] },
  ])
})

t.test('migrate applies the endpoints of the release', async (t) => {
  const fresh = await createTestDatabase()
  closeAfter(t, fresh)
  const { cli, json } = createCommandLine({ DATABASE_URL: fresh.url, SECRET_KEY: secretKey })
  t.match(await cli('migrate'), { code: 0 })
  const names = (await json('custom', 'list')).map(({ name }: { name: string }) => name)
  t.same(names, ['dashboard-overview', 'market-access'])
})
