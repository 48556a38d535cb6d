import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { createStage } from './custom/stage.ts'
import { asCustomer, createTestApp, createTestDatabase } from './helper.ts'

const root = join(import.meta.dirname, '..')
const database = await createTestDatabase()
const app = await createTestApp(database, { origin: 'https://api.example' })
t.teardown(async () => {
  await app.close()
  await database.close()
})

const lint = async (t: Test, text: string): Promise<string[]> => {
  const file = join(t.testdir({ 'openapi.json': text }), 'openapi.json')
  const cli = join(root, 'node_modules/@stoplight/spectral-cli/dist/index.js')
  const options = ['-r', join(root, '.spectral.yaml'), '-f', 'json', '-q', '--fail-severity', 'hint']
  const run = promisify(execFile)(process.execPath, [cli, 'lint', ...options, file], { maxBuffer: 2 ** 26 })
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error)
  if (stdout === '') throw new Error(stderr)
  const found = JSON.parse(stdout) as { code: string; path: string[]; message: string }[]
  return found.map(({ code, path, message }) => `${code} at ${path.join('/')}: ${message}`)
}

t.test(
  'Spectral finds nothing by the rules of OpenAPI, OWASP and Zalando, but for named exceptions',
  async (t) => {
    const { give } = createStage(database)
    const { token } = await asCustomer(database, app, 'acme')
    for (const file of globSync('examples/custom/*.yaml', { cwd: root }))
      await give('acme', readFileSync(join(root, file), 'utf8'))
    const answer = await app.inject({ url: '/openapi.json', headers: { authorization: `Bearer ${token}` } })
    t.match(answer.body, '/v1/custom/', 'custom endpoints are part of it')
    t.same(await lint(t, answer.body), [])
  },
)

t.test('the linter finds a violation of each of the three rules, even if a rule is narrowed', async (t) => {
  const changed = (await app.inject('/openapi.json')).json()
  changed.servers = [{ url: 'http://api.example' }]
  const kept = ['/v1/certificates', '/v1/products/{id}']
  changed.paths = Object.fromEntries(kept.map((path) => [path, changed.paths[path]]))
  delete changed.paths['/v1/certificates'].get.operationId
  changed.paths['/v1/certificates'].get.parameters[0].name = 'someThing'
  changed.paths['/v1/products/{id}'].get.parameters[0].schema.maxLength = undefined
  const codes = new Set((await lint(t, JSON.stringify(changed))).map((each) => each.split(' ')[0]))
  const breaches = [
    'must-use-snake-case-for-query-parameters',
    'operation-operationId',
    'owasp:api4:2023-string-limit',
    'owasp:api8:2023-no-server-http',
  ]
  t.same(
    breaches.filter((code) => !codes.has(code)),
    [],
  )
})
