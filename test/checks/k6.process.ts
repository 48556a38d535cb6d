import { execFile } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'

const program = join(import.meta.dirname, '../../k6/run.ts')

/** Runs `npm run k6` with a program in place of k6, which prints its variables and arguments. */
const run = (t: Test, words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const fake = join(t.testdir(), 'k6')
  writeFileSync(fake, '#!/bin/sh\necho "$URL $API_KEY $*"\nexit 99\n')
  chmodSync(fake, 0o755)
  return new Promise<{ code: unknown; output: string }>((resolve) => {
    const settings = { env: { PATH: process.env.PATH, K6: fake, ...env } }
    execFile(process.execPath, [program, ...words], settings, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}

t.test('--url runs the script against that service, with the key, and starts no servers', async (t) => {
  const env = { API_KEY: 'cda_live_x' }
  const { code, output } = await run(t, ['steady', '--url', 'https://api.example/', '--quiet'], env)
  t.equal(code, 99, "k6's own exit code")
  t.match(output, /^https:\/\/api\.example cda_live_x run --quiet \/.*k6\/steady\.js\n$/)
})

t.test('--url names the reason why it runs nothing', async (t) => {
  const env = { API_KEY: 'cda_live_x' }
  for (const [words, given, reason] of [
    [['steady', '--url', 'https://api.example'], {}, 'needs the variable API_KEY'],
    [['steady', '--url', 'https://api.example/v1'], env, 'without a path'],
    [['steady', '--url'], env, 'expects an address'],
    [['redis-down', '--url', 'https://api.example'], env, 'break the servers'],
    [['smoke', '--prove', '--url', 'https://api.example'], env, 'break the servers'],
    [['unknown'], env, 'Usage: npm run k6'],
  ] as const) {
    const { code, output } = await run(t, words, given)
    t.equal(code, 2)
    t.match(output, reason)
    t.notMatch(output, 'cda_live_x')
  }
})
