import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { asCustomer, closeAfter, createTestApp, createTestDatabase } from '../../helper.ts'
import { lintOpenApi } from '../../lint-openapi.ts'
import { createStage } from './stage.ts'

const root = join(import.meta.dirname, '../../..')
const database = await createTestDatabase()
const app = await createTestApp(database, { origin: 'https://api.example' })
closeAfter(t, app, database)

t.test('the document of a customer with custom endpoints meets the same rules', async (t) => {
  const { give } = createStage(database)
  const { token } = await asCustomer(database, app, 'acme')
  for (const file of globSync('examples/custom/*.yaml', { cwd: root }))
    await give('acme', readFileSync(join(root, file), 'utf8'))
  const answer = await app.inject({ url: '/openapi.json', headers: { authorization: `Bearer ${token}` } })
  t.match(answer.body, '/v1/custom/', 'custom endpoints are part of it')
  t.same(await lintOpenApi(t, answer.body), [])
})
