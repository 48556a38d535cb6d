import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { createStage } from './custom/stage.ts'
import { asCustomer, closeAfter, createTestApp, createTestDatabase } from './helper.ts'

const root = join(import.meta.dirname, '..')
const database = await createTestDatabase()
const app = await createTestApp(database, { origin: 'https://api.example' })
closeAfter(t, app, database)

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

t.test('the document meets the rules of OpenAPI, OWASP and Zalando, with named exceptions', async (t) => {
  const { give } = createStage(database)
  const { token } = await asCustomer(database, app, 'acme')
  for (const file of globSync('examples/custom/*.yaml', { cwd: root }))
    await give('acme', readFileSync(join(root, file), 'utf8'))
  const answer = await app.inject({ url: '/openapi.json', headers: { authorization: `Bearer ${token}` } })
  t.match(answer.body, '/v1/custom/', 'custom endpoints are part of it')
  t.same(await lint(t, answer.body), [])
})
