import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { features } from '../../../app/features.ts'
import { readGuides } from '../../../app/site/guides.ts'
import { listPages } from '../../../app/site/options.ts'
import { createPageTest } from '../../../app/site/paths.ts'
import { closeAfter, createTestApp, createTestDatabase } from '../../helper.ts'

const root = join(import.meta.dirname, '../../..')
const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)

t.test('every guide and page links to the clients', async (t) => {
  const options = { publicUrl: 'http://api.test', demoToken: 'cda_demo_public', features }
  const guides = readGuides(options).flatMap((group) => group.guides.map(({ path }) => path))
  for (const path of ['/', '/docs', '/docs/guides', ...guides])
    t.match((await app.inject(path)).body, '<a href="/clients/"', path)
})

t.test('a guide with code for a client links to it in its text', async (t) => {
  const files = globSync('docs/*.md', { cwd: root })
  const withCode = files.filter((file) =>
    /(?:from|import) '?certdata[-_]client/.test(readFileSync(join(root, file), 'utf8')),
  )
  t.ok(withCode.includes('docs/quick-start.md'))
  for (const file of withCode) {
    const { body } = await app.inject(file.replace(/^docs\/(.+)\.md$/, '/docs/guides/$1'))
    const [, article = ''] = body.split('<article')
    t.match(article, /href="\/clients\//, file)
  }
})

t.test('links of guides to files of the clients lead to parts of the page', async (t) => {
  const page = (await app.inject('/clients/')).body
  const guides = await app.inject('/docs/guides/webhooks')
  const anchors = [...guides.body.matchAll(/href="\/clients\/#([^"]+)"/g)].map(([, anchor]) => anchor)
  t.ok(anchors.includes('python-webhooks'))
  for (const anchor of anchors) t.match(page, ` id="${anchor}"`)
})

t.test('plain HTTP to the page and to packages is redirected to TLS', async (t) => {
  const isPage = createPageTest(listPages(features))
  for (const target of ['/clients/', '/clients/certdata-client-0.1.0.tgz?x']) t.ok(isPage(target), target)
  for (const target of ['/clientsx', '/v1/products', '/access/x']) t.notOk(isPage(target), target)
})
