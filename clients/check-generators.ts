import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startService } from './tools/service.ts'
import { type Changes, createClient, type TokenAnswer } from './typescript/src/index.ts'

// Generates clients from the document that a running service serves, compiles them, and lets two of them ask
// it for what the example file brings. Wants java, mvn, go and python3, and what they download. Nothing generated is kept.

const version = '7.25.0'
const stepLimitMs = 240_000
const folder = mkdtempSync(join(tmpdir(), 'certdata-generators-'))
const cache = join(import.meta.dirname, '../node_modules/.cache/openapi-generator')
const jar = join(cache, `openapi-generator-cli-${version}.jar`)
const asks = join(import.meta.dirname, 'generated')

type Place = { cwd?: string; env?: Record<string, string> }

const run = async (program: string, options: readonly string[], { cwd = folder, env = {} }: Place = {}) => {
  const { stdout } = await promisify(execFile)(program, options, {
    cwd,
    env: { ...process.env, ...env },
    timeout: stepLimitMs,
    maxBuffer: 2 ** 26,
  }).catch((error: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`${program} ${options.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? ''}`, {
      cause: error,
    })
  })
  return stdout
}

const step = async (name: string, act: () => Promise<unknown>): Promise<boolean> => {
  const startedAt = Date.now()
  const outcome = await act().then(
    () => 'ok',
    (error: Error) => `FAILED\n${error.message.slice(-4_000)}`,
  )
  console.log(`${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s): ${outcome}`)
  return outcome === 'ok'
}

const fetchGenerator = async () => {
  if (existsSync(jar)) return
  mkdirSync(cache, { recursive: true })
  const artifact = `org.openapitools:openapi-generator-cli:${version}`
  await run('mvn', ['-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${cache}`])
}

const generate = (language: string, options: readonly string[]) =>
  run('java', ['-jar', jar, 'generate', '-i', 'openapi.json', '-g', language, '-o', language, ...options])

const checkPython = async (asked: readonly string[]) => {
  await generate('python', ['--package-name', 'certdata_client'])
  await run('python3', ['-m', 'venv', 'venv'])
  const python = join(folder, 'venv/bin/python')
  await run(python, ['-m', 'pip', 'install', '-q', './python'])
  await run(python, [join(asks, 'ask.py'), ...asked])
}

const checkJava = async () => {
  await generate('java', ['--library', 'native', '--additional-properties=hideGenerationTimestamp=true'])
  await run('mvn', ['-q', '-DskipTests', 'compile'], { cwd: join(folder, 'java') })
}

const checkGo = async (asked: readonly string[]) => {
  const names = ['--git-user-id', 'example', '--git-repo-id', 'certdata', '--package-name', 'certdata']
  await generate('go', names)
  const cwd = join(folder, 'go')
  // Its tests want a library of their own and say nothing.
  rmSync(join(cwd, 'test'), { recursive: true })
  cpSync(join(asks, 'ask.go.txt'), join(cwd, 'ask/main.go'))
  await run('go', ['build', './...'], { cwd })
  await run('go', ['vet', './...'], { cwd })
  await run('go', ['run', './ask', ...asked], { cwd })
}

const logIn = async (url: string, apiKey: string): Promise<string> => {
  const answer = await fetch(`${url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  })
  return ((await answer.json()) as TokenAnswer).access_token
}

const service = await startService()
try {
  const { url, apiKey, certdata } = service
  writeFileSync(join(folder, 'openapi.json'), await (await fetch(`${url}/openapi.json`)).text())
  const client = createClient({ url, apiKey })
  const { body } = await client.request<Changes>('/v1/changes', { resources: 'products' })
  await certdata('import', join(import.meta.dirname, '../examples/records.ndjson'), '--customer', 'local')
  const asked = [url, await logIn(url, apiKey), body.page.next_token]
  const results = [
    await step('openapi-generator', fetchGenerator),
    await step('Python: import, and a call', () => checkPython(asked)),
    await step('Java: compiles', checkJava),
    await step('Go: builds, and a call', () => checkGo(asked)),
  ]
  process.exitCode = results.every(Boolean) ? 0 : 1
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
