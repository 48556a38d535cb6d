import t from 'tap'
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
