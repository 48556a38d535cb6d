import t from 'tap'
import { closeAfter, createTestApp, createTestDatabase } from './helper.ts'
import { lintOpenApi } from './lint-openapi.ts'

const database = await createTestDatabase()
const app = await createTestApp(database, { origin: 'https://api.example' })
closeAfter(t, app, database)

t.test('the document meets the rules of OpenAPI, OWASP and Zalando, with named exceptions', async (t) => {
  t.same(await lintOpenApi(t, (await app.inject('/openapi.json')).body), [])
})
