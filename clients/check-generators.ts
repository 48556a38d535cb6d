import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { startService } from './tools/service.ts'
import { runProgram, runStep } from './tools/steps.ts'
import { type Changes, createClient, type TokenAnswer } from './typescript/src/index.ts'

// Generates clients from the OpenAPI document of a running service, compiles them, and sends requests with
// each. Skips generators whose tools (java, mvn, go, python3) are not installed. Keeps only the downloaded
// generator.

const version = '7.25.0'
const oapiCodegen = { generator: 'v2.8.2', runtime: 'v1.9.0' }
const ogen = 'v1.24.0'
const openapiPythonClient = '0.29.1'
const typescript = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.99.0',
  'typescript@5.9.3',
]
const folder = mkdtempSync(join(tmpdir(), 'certdata-generators-'))
const cache = join(import.meta.dirname, '../node_modules/.cache/openapi-generator')
const jar = join(cache, `openapi-generator-cli-${version}.jar`)
const asks = join(import.meta.dirname, 'generated')

const run = (program: string, options: readonly string[], { cwd = folder } = {}) =>
  runProgram(program, options, cwd)

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

const checkOpenapiPythonClient = async (asked: readonly string[]) => {
  await run('python3', ['-m', 'venv', 'other-venv'])
  const bin = join(folder, 'other-venv/bin')
  await run(join(bin, 'python'), [
    '-m',
    'pip',
    'install',
    '-q',
    `openapi-python-client==${openapiPythonClient}`,
  ])
  const settings = { post_hooks: [], package_name_override: 'certdata_client' }
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  const options = ['--path', 'openapi.json', '--config', 'settings.json', '--output-path', 'other-python']
  await run(join(bin, 'openapi-python-client'), ['generate', ...options])
  await run(join(bin, 'python'), ['-m', 'pip', 'install', '-q', './other-python'])
  await run(join(bin, 'python'), [join(asks, 'ask_openapi_python_client.py'), ...asked])
}

/** openapi-fetch with the types of openapi-typescript, and Hey API. */
const checkTypeScript = async (asked: readonly string[]) => {
  const cwd = join(folder, 'typescript')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), '{"private":true}')
  await run('npm', ['install', '--no-audit', '--no-fund', ...typescript, '@types/node@24'], { cwd })
  await run('npx', ['openapi-typescript', '../openapi.json', '-o', 'openapi-fetch.ts'], { cwd })
  await run('npx', ['openapi-ts', '-i', '../openapi.json', '-o', 'hey-api'], { cwd })
  cpSync(join(asks, 'ask-typescript.ts.txt'), join(cwd, 'ask.ts'))
  const settings = ['--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'commonjs']
  await run('npx', ['tsc', ...settings, '--moduleResolution', 'node', '--outDir', 'built', 'ask.ts'], { cwd })
  await run('node', ['built/ask.js', ...asked], { cwd })
}

/** Renames `wait`, which is a method of every Java object. */
const checkJava = async (asked: readonly string[]) => {
  const properties = 'hideGenerationTimestamp=true,useSingleRequestParameter=true'
  const mapping = ['--parameter-name-mappings', 'wait=waitSeconds']
  await generate('java', ['--library', 'native', `--additional-properties=${properties}`, ...mapping])
  const cwd = join(folder, 'java')
  cpSync(join(asks, 'Ask.java'), join(cwd, 'src/main/java/example/Ask.java'))
  const libraries = ['dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=target/lib']
  await run('mvn', ['-q', '-DskipTests', 'compile', ...libraries], { cwd })
  await run('java', ['-cp', ['target/classes', 'target/lib/*'].join(delimiter), 'example.Ask', ...asked], {
    cwd,
  })
}

const checkGo = async (asked: readonly string[]) => {
  const names = ['--git-user-id', 'example', '--git-repo-id', 'certdata', '--package-name', 'certdata']
  await generate('go', names)
  const cwd = join(folder, 'go')
  // Its tests need another library and check nothing.
  rmSync(join(cwd, 'test'), { recursive: true })
  cpSync(join(asks, 'ask.go.txt'), join(cwd, 'ask/main.go'))
  await run('go', ['build', './...'], { cwd })
  await run('go', ['vet', './...'], { cwd })
  await run('go', ['run', './ask', ...asked], { cwd })
}

/** Runs a program in a Go module with a generated client and its library. */
const runGoModule = async (cwd: string, library: string, program: string, asked: readonly string[]) => {
  await run('go', ['mod', 'init', 'github.com/example/certdata'], { cwd })
  await run('go', ['get', library], { cwd })
  cpSync(join(asks, program), join(cwd, 'ask/main.go'))
  await run('go', ['mod', 'tidy'], { cwd })
  await run('go', ['run', './ask', ...asked], { cwd })
}

const checkOapiCodegen = async (asked: readonly string[]) => {
  const cwd = join(folder, 'oapi-codegen')
  mkdirSync(cwd)
  const settings = {
    package: 'certdata',
    output: 'client.go',
    generate: { models: true, client: true },
    // Without it the types of webhooks are missing, and the code does not compile.
    'output-options': { 'skip-prune': true },
  }
  writeFileSync(join(cwd, 'settings.yaml'), JSON.stringify(settings))
  const generator = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${oapiCodegen.generator}`
  await run('go', ['run', generator, '--config', 'settings.yaml', '../openapi.json'], { cwd })
  await runGoModule(cwd, `github.com/oapi-codegen/runtime@${oapiCodegen.runtime}`, 'ask-oapi.go.txt', asked)
}

const checkOgen = async (asked: readonly string[]) => {
  const cwd = join(folder, 'ogen')
  mkdirSync(cwd)
  const options = ['--package', 'certdata', '--target', '.', '../openapi.json']
  await run('go', ['run', `github.com/ogen-go/ogen/cmd/ogen@${ogen}`, ...options], { cwd })
  await runGoModule(cwd, `github.com/ogen-go/ogen@${ogen}`, 'ask-ogen.go.txt', asked)
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
  const records = readFileSync(join(import.meta.dirname, '../examples/records.ndjson'), 'utf8')
  const ending = { resource: 'certificates', id: 'ending', number: 'N-1', approval_status: 'approved' }
  writeFileSync(
    join(folder, 'records.ndjson'),
    `${records}${JSON.stringify({ ...ending, valid_until: '2026-12-31' })}\n`,
  )
  await certdata('import', join(folder, 'records.ndjson'), '--customer', 'local')
  const asked = [url, await logIn(url, apiKey), body.page.next_token]
  const results = [
    await runStep('OpenAPI Generator', ['mvn', 'java'], fetchGenerator),
    await runStep('Python: import, and requests', ['java', 'python3'], () => checkPython(asked)),
    await runStep('openapi-python-client: import, and requests', ['python3'], () =>
      checkOpenapiPythonClient(asked),
    ),
    await runStep('openapi-fetch and Hey API: compile, and requests', ['npm'], () => checkTypeScript(asked)),
    await runStep('Java: compiles, and requests', ['java', 'mvn'], () => checkJava(asked)),
    await runStep('Go: builds, and requests', ['java', 'go'], () => checkGo(asked)),
    await runStep('oapi-codegen: builds, and requests', ['go'], () => checkOapiCodegen(asked)),
    await runStep('ogen: builds, and requests', ['go'], () => checkOgen(asked)),
  ]
  process.exitCode = results.every(Boolean) ? 0 : 1
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
