import t from 'tap'
import { createHome } from '../../../app/site/home.ts'
import { closeAfter, createTestApp, createTestDatabase } from '../../helper.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)

t.test('an old link to a request of the demo redirects to the reference', async (t) => {
  for (const [target, link] of [
    ['/v1/products?limit=3', '#tag/products/GET/v1/products'],
    ['/v1/lab/rep-1', '#tag/test-reports/GET/v1/lab/{id}'],
    ['/v1/custom/market-access?product_id=p', ''],
    ['//elsewhere.example/v1/products', ''],
    ['', ''],
  ] as const) {
    const answer = await app.inject(`/demo?path=${encodeURIComponent(target)}`)
    t.match([answer.statusCode, answer.headers.location], [302, `/docs${link}`], target)
  }
})

/** Links of each card of the start page, in order. */
const listCards = (body: string) =>
  [...body.matchAll(/<li class="plate">.*?<\/li>/gs)].map(([card]) =>
    [...card.matchAll(/href="([^"]+)"/g)].map(([, href]) => href),
  )

t.test('cards of the start page lead to the question of the demo, and then to the guide', async (t) => {
  const cards = listCards((await app.inject('/')).body)
  t.same(cards, [
    ['/demo#markets', '/docs/guides/custom-endpoints'],
    ['/demo#expiring', '/docs/guides/exports'],
    ['/docs/guides/webhooks'],
    ['/demo#changes', '/docs/guides/changes'],
    ['/demo#history', '/docs/guides/history'],
    ['/docs/guides/who-looked'],
  ])
  const { body } = await app.inject('/demo')
  for (const [first = ''] of cards) {
    if (first.startsWith('/demo'))
      t.match(body, `href="${first.replace('/demo', '')}"`, 'a question of the demo')
  }
})

t.test('without the demo, cards lead to the guides', async (t) => {
  const home = createHome({
    publicUrl: 'https://api.example',
    demoToken: '',
    contactPage: undefined,
    hasGuide: () => true,
    toPage: ({ main }) => main.html,
  })
  const cards = listCards(home.read('2026-11-28'))
  t.equal(cards.length, 6)
  for (const links of cards) t.match(links, [/^\/docs\/guides\//])
})
