import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { catalogue, type ErrorCode } from '../../app/errors.ts'
import { installClient } from '../../clients/tools/package.ts'
import { type Service, startService } from '../../clients/tools/service.ts'
import { type Example, listExamples, matches } from './examples.ts'
import { createFolder, expectRefusals, fill, run, writeTable } from './run-examples.ts'

const root = join(import.meta.dirname, '../..')
/** The order matters: later guides use the customer of the README, and the last guide erases it. */
const files = ['README.md', 'clients/typescript/README.md', ...globSync('docs/*.md', { cwd: root }).sort()]

/** Examples that cannot be run here. Each must exist, so that the list does not grow old. */
const notRun: readonly (readonly [file: string, begins: string, reason: string])[] = [
  ['docs/webhooks.md', 'import base64', 'needs the package cryptography'],
  ['docs/spreadsheets.md', 'import pandas', 'needs pandas'],
  ['docs/spreadsheets.md', 'import polars', 'needs polars'],
  [
    'README.md',
    'npm ci && npm start',
    'installs, and runs until it is stopped: the service here was started so',
  ],
  ['README.md', 'npm ci && npm test', 'would run this test again'],
  ['README.md', 'DATABASE_ADMIN_URL=…', 'a deployment; the command is tested in test/operator/cli.test.ts'],
  ['docs/quick-start.md', 'npm install', 'test/features/clients/install.process.ts installs it so'],
  ['clients/typescript/README.md', 'npm install', 'test/features/clients/install.process.ts installs it so'],
  [
    'docs/operations.md',
    'printf',
    "needs Docker; the deployment's files are checked in test/deploy/deploy.process.ts",
  ],
  ['docs/operations.md', 'docker compose build', 'needs Docker'],
  [
    'docs/operations.md',
    'CERTDATA_API_KEY=…',
    'takes a minute; test/features/verify/verify.test.ts verifies a service',
  ],
  [
    'docs/operations.md',
    'npx --no certdata audit verify                 #',
    'a backup: test/clients/operator-guides.process.ts takes one',
  ],
  ['docs/operations.md', 'createdb', 'follows the backup'],
  ['docs/scaling.md', '(umask', 'a second database: test/features/personal-data/move.test.ts runs it'],
  ['docs/scaling.md', 'rm', 'follows the example before'],
  ['docs/operations.md', 'psql -c', "another server's roles: checks/deploy/restore.ts restores there"],
  ['docs/operations.md', 'test ! -e .data', 'test/clients/embedded-backup.process.ts runs it'],
  ['docs/import.md', 'npx --no certdata import zertifikate.csv', 'test/features/imports/map.test.ts runs it'],
]
/** SQL needs a login: test/clients/operator-guides.process.ts runs it. */
const isRun = ({ file, code, language }: Example) =>
  language !== 'sql' && !notRun.some(([name, begins]) => name === file && code.startsWith(begins))

const examples = files.flatMap((file) => listExamples(file, readFileSync(join(root, file), 'utf8')))

const ask = async (url: string, init?: RequestInit) =>
  (await fetch(url, init)).json() as Promise<Record<string, string>>
const json = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const person = { company: 'A', name: 'B', email: 'a@b.example', message: 'C', consent: true }

/** Returns the guides' placeholders for a key and its token, with real values. */
const keyValues = async ({ url, certdata }: Service, ...options: string[]): Promise<[string, string][]> => {
  const { api_key: key } = JSON.parse(await certdata('keys', 'issue', 'local', '--json', ...options)) as {
    api_key: string
  }
  const token = (await ask(`${url}/v1/auth/login`, json({ api_key: key }))).access_token as string
  return [
    ['<key id>', key.split('_')[2] as string],
    ['cda_live_…', key],
    ['Bearer eyJ…', `Bearer ${token}`],
  ]
}

/** Reads a guide from the service, which inserts its own URL. */
const readAsServed = async (file: string, { url }: Service): Promise<string> => {
  if (!file.startsWith('docs/'))
    return readFileSync(join(root, file), 'utf8').replaceAll('http://localhost:3000', url)
  const answer = await fetch(`${url}/${file.replace('docs/', 'docs/guides/')}`)
  if (answer.status !== 200) throw new Error(`${file} is not served: ${answer.status}`)
  return answer.text()
}

const newestHead = ({ output }: Service) =>
  output()
    .match(/"head":"([^"]+)"/g)
    ?.at(-1)
    ?.slice(8, -1) ?? ''

/** Registers the public key that an earlier example has created. */
const registerClient = async (
  code: string,
  folder: string,
  { certdata }: Service,
): Promise<[string, string][]> => {
  if (!code.includes('<client id>')) return []
  const added = await certdata('keys', 'add-client', 'local', '--jwk', join(folder, 'public.json'), '--json')
  return [['<client id>', (JSON.parse(added) as { client_id: string }).client_id]]
}

/** Creates two access requests, in place of the two ids in the guide. */
const requestAccess = async ({ url }: Service): Promise<[string, string][]> =>
  Promise.all(
    ['k3v9x2m7q4d8s1fa', 'q7m2c5t8w1z4x9ab'].map(
      async (name): Promise<[string, string]> => [
        name,
        (await ask(`${url}/v1/access-requests`, json(person))).id as string,
      ],
    ),
  )

const programs = {
  sh: (file: string) => ['bash', file],
  sql: (file: string) => ['psql', '-f', file],
  js: (file: string) => ['env', '-u', 'NODE_OPTIONS', process.execPath, file],
  ts: (file: string) => ['env', '-u', 'NODE_OPTIONS', process.execPath, file],
  python: (file: string) => ['python3', file],
}

t.test('every example runs and prints the output in the guide', async (t) => {
  const folder = createFolder()
  const service = await startService({
    LOG_LEVEL: 'info',
    LIMIT_DEMO_MINUTE: '1000000',
  })
  t.teardown(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  await installClient(folder)
  await service.certdata('import', join(root, 'examples/records.ndjson'), '--customer', 'local')
  const requests = await requestAccess(service)
  const keys = await keyValues(service)

  for (const file of files) {
    const text = await readAsServed(file, service)
    t.notMatch(text, 'http://localhost:3000', `${file} names the address of the service`)
    const own = listExamples(file, text).filter(isRun)
    if (own.length === 0) continue
    const values: [string, string][] = [...requests]
    values.push(['4711:q83v…', newestHead(service)])
    // A guide that revokes its key, or needs a special scope, gets a separate key.
    const says = (text: string) => own.some(({ code }) => code.includes(text))
    if (says('/v1/audit')) values.push(...(await keyValues(service, '--scopes', 'audit:read')))
    else if (says('/v1/me/keys/rotate'))
      values.push(...(await keyValues(service, '--scopes', 'certificates:read,products:read,keys:rotate')))
    else values.push(...(says('/oauth/revoke') ? await keyValues(service) : keys))
    let shell = ''
    for (const [index, { language, code, line, outcome }] of own.entries()) {
      const where = `${file}:${line}`
      values.push(...(await registerClient(code, folder, service)))
      writeTable(code, folder)
      const extension = { sh: 'sh', sql: 'sql', js: 'mjs', ts: 'mts', python: 'py' }[language]
      const script = join(folder, `example-${index}.${extension}`)
      // Later commands of a guide use variables of earlier ones.
      const begin = language === 'sh' ? `set -euo pipefail\n${shell}` : ''
      const keep = language === 'sh' ? '\ndeclare -p TOKEN TAG KEY 2>/dev/null > variables || true\n' : ''
      writeFileSync(script, `${begin}${fill(expectRefusals(code), values)}${keep}`)
      const env = {
        HOME: folder,
        // The command line starts a dozen times. Its code is compiled once.
        NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
        CURL_HOME: join(folder, outcome?.showsRefusal ? 'refused' : 'strict'),
        ...service.environment,
      }
      const { status, output } = await run(programs[language](script), folder, env)
      if (language === 'sh') shell = 'if [ -f variables ]; then . ./variables; fi\n'
      t.equal(status, 0, `${where} (${language}) ends well`, { output })
      if (outcome) {
        const difference = matches(fill(outcome.text, values), outcome.language, output)
        t.equal(difference, undefined, `${where} (${language}) shows the documented output`, { output })
      }
      t.comment(`ran ${where}: ${code.split('\n')[0]}`)
    }
    rmSync(join(folder, 'variables'), { force: true })
  }
})

t.test('an example with a wrong output fails', async (t) => {
  const shown = '{"data": [{"id": "a", "name": "…"}], "page": {"total": "…"}}'
  const differs = (output: string) => matches(shown, 'json', output) !== undefined
  t.notOk(differs('curl says\n{"data":[{"id":"a","name":"x","more":1},{"id":"b"}],"page":{"total":0}}'))
  for (const wrong of [
    '{"data":[{"id":"b","name":"x"}],"page":{"total":0}}',
    '{"data":[{"id":"a","name":null}],"page":{"total":0}}',
    '{"data":[{"id":"a","name":"x"}],"page":{}}',
    '{"data":[],"page":{"total":0}}',
  ]) {
    t.ok(differs(wrong), wrong)
  }
  t.ok(matches('{"data": []}', 'json', '{"data":[1]}'))
  t.notOk(matches('etag: W/"…"', 'http', 'HTTP/1.1 200 OK\r\netag: W/"x"\r\n'))
  t.ok(matches('etag: W/"…"', 'http', 'HTTP/1.1 200 OK\r\netag: "x"\r\n'))
  t.ok(matches('12 products', 'text', '13 products\n'))
  const [example, ...others] = listExamples(
    'x',
    'Text\n\n```sh\nls\n```\n\n```text\na\n```\n\n```json\n{}\n```\n',
  )
  t.match(example, { line: 4, language: 'sh', code: 'ls\n', outcome: { language: 'text', text: 'a\n' } })
  t.same(others, [], 'a block without an example is only text')
  t.throws(
    () => listExamples('x', '```bash\nls\n```\n'),
    /x:2: write the block as one of sh, sql, js, ts, python/,
  )
})

t.test('the list of skipped examples is exact', async (t) => {
  const named = notRun.filter(([file, begins]) =>
    examples.some((each) => each.file === file && each.code.startsWith(begins)),
  )
  t.same(named, notRun)
  t.ok(examples.filter(isRun).length > 30)
  for (const [file, begins, reason] of notRun) t.comment(`not run: ${file}: ${begins}: ${reason}`)
})

type WebhookVector = {
  name: string
  headers: Record<string, string>
  body: string
  keys: Record<string, string>[]
  reason?: string
}

t.test('the webhook examples without a client accept signed messages only', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-webhooks-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const vectors = readFileSync(join(root, 'clients/vectors/webhooks.json'), 'utf8')
  const messages = (JSON.parse(vectors) as WebhookVector[]).map(({ headers, ...rest }) => ({
    ...rest,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  }))
  // These messages are signed correctly. The examples check neither the time nor the JSON.
  const otherwiseFaulty = ['too_old', 'too_new', 'malformed_body', undefined]
  const expected = messages.map(({ reason }) => otherwiseFaulty.includes(reason))
  t.ok(expected.includes(true) && expected.includes(false))
  writeFileSync(join(folder, 'messages.json'), JSON.stringify(messages))
  const codeIn = (language: string) =>
    examples.find((each) => each.file === 'docs/webhooks.md' && each.language === language)?.code ?? ''

  writeFileSync(join(folder, 'verify.mts'), codeIn('ts'))
  const { isGenuine } = await import(pathToFileURL(join(folder, 'verify.mts')).href)
  const genuine = messages.map(({ headers, body, keys }) => isGenuine(headers, Buffer.from(body), keys))
  t.same(genuine, expected, 'TypeScript')

  const python = process.env.PYTHON ?? 'python3'
  if ((await run([python, '-c', 'import cryptography'], folder, {})).status !== 0) {
    t.comment('Python is skipped: the package cryptography is not installed')
    return
  }
  const each = 'is_genuine(each["headers"], each["body"].encode(), each["keys"])'
  const print = `import json\nprint(json.dumps([${each} for each in json.load(open("messages.json"))]))\n`
  writeFileSync(join(folder, 'verify.py'), `${codeIn('python')}\n${print}`)
  const { output } = await run([python, 'verify.py'], folder, {})
  t.same(JSON.parse(output), expected, 'Python')
})

t.test('the guide to errors lists exactly the existing codes', async (t) => {
  const guide = readFileSync(join(root, 'docs/errors.md'), 'utf8')
  const rows = guide.split('\n').filter((line) => /^\| \d/.test(line))
  const named = rows.flatMap((row) =>
    [...(row.split('|')[2] ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code),
  )
  t.same(named.sort(), Object.keys(catalogue).sort())
  const wrong = rows.flatMap((row) => {
    const [, statuses = '', codes = ''] = row.split('|')
    const listed = statuses.split(',').map(Number)
    return [...codes.matchAll(/`(\w+)`/g)].filter(
      ([, code]) => !listed.includes(catalogue[code as ErrorCode][0]),
    )
  })
  t.same(wrong, [], 'each next to its status')
})
