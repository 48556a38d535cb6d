import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { catalogue, isServiceFault } from '../../app/errors.ts'
import { certificateFigure } from '../../app/main/certificate.ts'
import { createProcessRegistry } from '../../app/observe/process-metrics.ts'
import { createTestApp, createTestDatabase } from '../helper.ts'
import { startTestTasks } from '../tasks.ts'
import { run } from './run.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const rules = read('deploy/prometheus/rules.yml')
const dashboard = JSON.parse(read('deploy/grafana/dashboards/certdata.json'))
const token = 'who-measures-has-this'

type Panel = {
  id: number
  type: string
  title: string
  gridPos: Record<'x' | 'y' | 'w' | 'h', number>
  targets?: { expr: string }[]
}
const panels = dashboard.panels as Panel[]
const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

/** Roles, databases and packages in the documents. */
const otherNames = ['backup', 'client', 'operator', 'owner', 'reader', 'restored', 'web'].map(
  (name) => `certdata_${name}`,
)

t.test('rules, dashboard and documents use existing metrics', async (t) => {
  const database = await createTestDatabase()
  const app = await createTestApp(database, { env: { METRICS_TOKEN: token, METRICS_CUSTOMERS: 'true' } })
  t.teardown(async () => {
    await app.close()
    await database.close()
  })
  // Only where the service speaks TLS itself.
  app.metrics.add([certificateFigure({ endsAt: () => 0 })])
  // Only in the first process of an instance.
  const tasks = await startTestTasks(database, app.metrics.add)
  const { body } = await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } })
  await tasks.stop()
  const text = body + (await createProcessRegistry().metrics())
  const known = new Set<string>()
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    known.add(name)
    if (type === 'histogram') for (const part of ['bucket', 'sum', 'count']) known.add(`${name}_${part}`)
  }
  for (const [, name = ''] of rules.matchAll(/- record: (\S+)/g)) known.add(name)
  const listUnknown = (texts: readonly string[], pattern: RegExp) => {
    const used = new Set(texts.flatMap((each) => [...(each.match(pattern) ?? [])]))
    t.ok(used.size > 30)
    return [...used].filter((name) => !known.has(name) && !otherNames.includes(name))
  }
  const inExpressions = /\b(?:certdata|nodejs|process)[_:][a-z0-9_:]+/g
  t.same(listUnknown([rules.replace(/#.*/g, ''), ...expressions], inExpressions), [])
  const documents = globSync(['*.md', '{docs,deploy,k6,bench}/**/*.{md,yml,toml,json}'], { cwd: root })
  t.same(listUnknown(documents.map(read), /\b(?:certdata|nodejs)_[a-z0-9_]*[a-z0-9]\b/g), [])
})

t.test('every alert has a page in the run book', async (t) => {
  const [, runBook = ''] = read('docs/operations.md').split('\n## Alerts\n')
  const headings = [...runBook.matchAll(/^### (.+)$/gm)].map(([, text = '']) => text.replaceAll(' ', '-'))
  const links = [...rules.matchAll(/runbook: docs\/operations\.md#(\S+)/g)].map(([, anchor = '']) => anchor)
  t.equal(links.length, rules.match(/- alert:/g)?.length)
  t.same(
    links.filter((anchor) => !headings.includes(anchor)),
    [],
  )
  t.same(
    headings.filter((anchor) => !links.includes(anchor)),
    [],
    'and no page is left over',
  )
})

t.test('rules count the same statuses as failures as the service does', (t) => {
  const selectors = [
    ...(rules + read('docs/operations.md')).matchAll(/status=~"([^"]+)", status!~"([^"]+)"/g),
  ]
  t.equal(selectors.length, (rules + read('docs/operations.md')).match(/status=~/g)?.length)
  for (const [, included, excluded] of selectors) {
    for (const [status] of Object.values(catalogue)) {
      const isCounted = [included, excluded].map((pattern) =>
        new RegExp(`^(?:${pattern})$`).test(`${status}`),
      )
      t.equal(isCounted[0] && !isCounted[1], isServiceFault(status), String(status))
    }
  }
  t.end()
})

t.test('rules fire when they should and not before', async (t) => {
  const checked = run('promtool', ['test', 'rules', 'deploy/prometheus/rules.test.yml'])
  if (!checked) return t.pass('fire', { skip: 'promtool is not installed (Debian: prometheus)' })
  t.same(checked.status, 0, checked.output)
  const tested = read('deploy/prometheus/rules.test.yml')
  for (const [, alert = ''] of rules.matchAll(/- alert: (\S+)/g)) t.match(tested, `alertname: ${alert}`)
  t.equal(run('promtool', ['check', 'config', 'deploy/prometheus/prometheus.yml'])?.status, 0)
})

t.test('promtool reports no problem with the metrics', async (t) => {
  const database = await createTestDatabase()
  const app = await createTestApp(database, { env: { METRICS_TOKEN: token } })
  t.teardown(async () => {
    await app.close()
    await database.close()
  })
  const answer = await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } })
  const check = (input: string) => spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
  const { status, stdout, stderr, error } = check(answer.body + (await createProcessRegistry().metrics()))
  if (error && process.env.REQUIRE_REDIS !== '1')
    return t.pass('is clean', { skip: 'promtool is not installed (Debian: prometheus)' })
  t.same([status, stdout, stderr], [0, '', ''])
  t.not(check('# HELP bad_total x\n# TYPE bad_total gauge\nbad_total 1\n').status, 0, 'it does look')
})

t.test('the dashboard can be imported', async (t) => {
  t.match(dashboard, { uid: 'certdata', title: String, schemaVersion: Number, templating: { list: Array } })
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  t.same(
    panels.filter(({ type, targets }) => type !== 'row' && !targets?.length).map(({ title }) => title),
    [],
  )
  const cells = new Set<string>()
  for (const { title, gridPos } of panels) {
    t.ok(gridPos.x + gridPos.w <= 24, title)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        t.notOk(cells.has(`${x},${y}`), `${title} covers no other`)
        cells.add(`${x},${y}`)
      }
    }
  }
})
