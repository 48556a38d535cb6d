import { execFile } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { addCustomer, createTestApp, createTestDatabase } from '../helper.ts'

const program = join(import.meta.dirname, '../../k6/run.ts')

/** Runs `npm run k6` with a program in place of k6, which prints its variables and arguments. */
const run = (t: Test, words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const fake = join(t.testdir(), 'k6')
  writeFileSync(fake, '#!/bin/sh\necho "$URL $API_KEY rate=$RATE duration=$DURATION $*"\nexit 99\n')
  chmodSync(fake, 0o755)
  return new Promise<{ code: unknown; output: string }>((resolve) => {
    const settings = { env: { PATH: process.env.PATH, K6: fake, ...env } }
    execFile(process.execPath, [program, ...words], settings, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}

const database = await createTestDatabase()
const apiKey = await addCustomer(database, 'acme', { plan: 'premium' })
const env = { LIMIT_PREMIUM_BURST: '100', LIMIT_PREMIUM_MINUTE: '600' }
const app = await createTestApp(database, { env })
const url = await app.listen({ host: '127.0.0.1', port: 0 })
t.teardown(async () => {
  await app.close()
  await database.close()
})
const premium = 'this key (plan premium) allows 100 in 1 s and 600 in 60 s'

t.test(
  '--url runs the script against that service, below the quota of the key, and starts no servers',
  async (t) => {
    for (const [script, rate] of [
      ['smoke', '8'],
      ['steady', '8'],
      ['mixed', '5.3'],
    ] as const) {
      const { code, output } = await run(t, [script, '--url', `${url}/`, '--quiet'], { API_KEY: apiKey })
      t.equal(code, 99, "k6's own exit code")
      t.match(output, `${url} ${apiKey} rate=${rate} duration= run --quiet /`)
      t.match(output, `/k6/${script}.js\n`)
      t.match(output, `${script} sends ${rate} requests a second: ${premium}`)
    }
    const given = await run(t, ['steady', '--url', url], { API_KEY: apiKey, RATE: '0.5' })
    t.match(given.output, 'rate=0.5')
    t.notMatch(given.output, 'sends')
  },
)

t.test('a rate above the quota and a service without an answer run nothing', async (t) => {
  const over = await run(t, ['steady', '--url', url], { API_KEY: apiKey, RATE: '200' })
  t.same(over, {
    code: 2,
    output: `RATE=200 is too much for steady: ${premium}. Set RATE to at most 8\n`,
  })
  const unknown = await run(t, ['steady', '--url', url], { API_KEY: `${apiKey.slice(0, -4)}0000` })
  t.match(unknown, { code: 2, output: '/v1/auth/login is refused with status 401' })
  const silent = await run(t, ['steady', '--url', 'http://127.0.0.1:9'], { API_KEY: apiKey })
  t.match(silent, { code: 2, output: /http:\/\/127\.0\.0\.1:9 cannot be measured: .+/ })
})

t.test('--seconds sets the duration, and options that replace the scenarios are refused', async (t) => {
  const key = { API_KEY: apiKey }
  const { output } = await run(t, ['mixed', '--url', url, '--seconds', '8'], key)
  t.match(output, /duration=8s run \/.*mixed\.js/)
  const smoke = await run(t, ['smoke', '--url', url, '--iterations', '3'], key)
  t.match(smoke.output, 'run --iterations 3 ')
  for (const [words, reason] of [
    [['mixed', '--duration', '8s'], '--duration would replace the scenarios of mixed: use --seconds <n>'],
    [['steady', '-u', '3'], '-u would replace the scenarios of steady: use --seconds <n>'],
    [['spike', '--vus=3'], '--vus=3 would replace the scenarios of spike: use the variable RATE'],
    [['spike', '--seconds', '3'], 'spike has fixed stages'],
    [['steady', '--seconds', 'x'], '--seconds expects a number'],
  ] as const) {
    const refused = await run(t, [...words, '--url', url], key)
    t.equal(refused.code, 2)
    t.match(refused.output, reason)
  }
})

t.test('--url names the reason why it runs nothing', async (t) => {
  const fakeKey = { API_KEY: 'cda_live_x' }
  for (const [words, given, reason] of [
    [['steady', '--url', 'https://api.example'], {}, 'needs the variable API_KEY'],
    [['steady', '--url', 'https://api.example/v1'], fakeKey, 'without a path'],
    [['steady', '--url'], fakeKey, 'expects an address'],
    [['redis-down', '--url', 'https://api.example'], fakeKey, 'break the servers'],
    [['smoke', '--prove', '--url', 'https://api.example'], fakeKey, 'break the servers'],
    [['unknown'], fakeKey, 'Usage: npm run k6'],
  ] as const) {
    const { code, output } = await run(t, words, given)
    t.equal(code, 2)
    t.match(output, reason)
    t.notMatch(output, 'cda_live_x')
  }
})
