import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import { secretKey } from '../helper.ts'
import { startInTemp, testRedis } from '../servers.ts'
import { type Service, startService, untilReady } from '../service.ts'
import { type Example, listExamples } from './examples.ts'
import { createFolder, expectRefusals, fill, run, writeTable } from './run-examples.ts'

// Every command of the operator's documents, with the logins that the documents create. On the bundled PostgreSQL, or on
// the server of TEST_DATABASE_URL (a superuser's URL).

const root = join(import.meta.dirname, '../..')
const files = [
  'README.md',
  ...[
    'operations',
    'schema',
    'import',
    'custom-documents',
    'access-requests',
    'audit',
    'scaling',
    'personal-data',
  ].map((name) => `docs/${name}.md`),
]
const examples = files
  .flatMap((file) => listExamples(file, readFileSync(join(root, file), 'utf8')))
  .filter(({ language }) => language === 'sh' || language === 'sql')

type Login = 'administrator' | 'owner' | 'operator' | 'your_system'
type Step = readonly [file: string, begins: string, login: Login]

/** The examples in an order in which an operator runs them. `operator` is the login behind a pooler. */
const beforeStart: readonly Step[] = [
  ['docs/operations.md', 'create role certdata_owner', 'administrator'],
  ['README.md', 'DATABASE_ADMIN_URL=…', 'owner'],
  ['docs/operations.md', 'grant certdata_reader to certdata_web', 'administrator'],
  ['docs/operations.md', 'create role certdata_backup', 'administrator'],
  ['docs/schema.md', 'grant certdata_operator', 'administrator'],
]
const whileItRuns: readonly Step[] = [
  ...(['operator', 'owner'] as const).flatMap((login): Step[] => [
    [
      'docs/import.md',
      'npx --no certdata import products.csv --resource products --customer acme\nnpx',
      login,
    ],
    [
      'docs/import.md',
      'npx --no certdata import products.csv --resource products --customer acme --dry-run',
      login,
    ],
    ['docs/import.md', 'npx --no certdata import products.csv --resource products --customer acme \\', login],
    ['docs/custom-documents.md', 'npx --no certdata custom check', login],
    ['docs/operations.md', 'npx --no certdata changes prune', login],
    ['docs/operations.md', 'npx --no certdata history forget', login],
  ]),
  ['docs/schema.md', 'set role', 'your_system'],
  ['docs/schema.md', 'update certificates', 'your_system'],
  ['docs/access-requests.md', 'curl', 'operator'],
  ['docs/audit.md', 'npx --no certdata audit list', 'owner'],
  ['docs/operations.md', 'npx --no certdata audit verify', 'owner'],
  ['docs/operations.md', 'createdb', 'owner'],
  ['docs/operations.md', 'begin;', 'owner'],
  ['docs/scaling.md', '(umask', 'operator'],
  ['docs/scaling.md', 'rm', 'owner'],
]
const atTheEnd: readonly Step[] = [['docs/personal-data.md', 'npx --no certdata customers export', 'owner']]

const inGuides = 'test/clients/guides.process.ts runs it'
const notRun: readonly (readonly [file: string, begins: string, reason: string])[] = [
  ['README.md', 'npm ci && npm start', 'installs'],
  ['README.md', '# Example data', inGuides],
  ['README.md', 'npx --no certdata customers add', inGuides],
  ['README.md', 'npm ci && npm test', 'would run this test again'],
  ['docs/operations.md', 'printf', 'needs Docker'],
  ['docs/operations.md', 'docker compose build', 'needs Docker'],
  [
    'docs/operations.md',
    'CERTDATA_API_KEY=…',
    'needs no login; test/features/verify/verify.test.ts verifies a service',
  ],
  ['docs/operations.md', 'psql -c', "another server's roles: checks/deploy/restore.ts creates them"],
  ['docs/import.md', 'npx --no certdata import zertifikate.csv', 'test/features/imports/map.test.ts runs it'],
  ['docs/operations.md', 'test ! -e .data', 'test/clients/embedded-backup.process.ts runs it'],
  ['docs/custom-documents.md', 'sleep 1; curl', inGuides],
]

const isOf = ({ file, code }: Example, [name, begins]: readonly [string, string, string]) =>
  file === name && code.startsWith(begins)

t.test('every example of these documents is run, or has a reason', async (t) => {
  const steps = [...beforeStart, ...whileItRuns, ...atTheEnd]
  for (const example of examples) {
    const places = [...steps, ...notRun].filter((entry) => isOf(example, entry))
    t.ok(places.length > 0, `${example.file}:${example.line}`)
  }
  for (const entry of [...steps, ...notRun]) {
    t.equal(examples.filter((example) => isOf(example, entry)).length, 1, entry.join(': '))
  }
})

const openServer = async (t: Test) => {
  const given = process.env.TEST_DATABASE_URL
  const server = given ? undefined : await startInTemp(String(process.pid))
  const url = new URL((server?.url ?? given ?? '').replace('@/', '@localhost/'))
  const host = url.searchParams.get('host') ?? url.hostname
  const port = url.searchParams.get('port') ?? url.port
  const superuser = url.username
  const address = (login: string, database: string) =>
    `postgresql://${login}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
  const query = async (text: string, database = 'postgres', values: string[] = []) => {
    const client = new pg.Client({ connectionString: address(superuser, database) })
    await client.connect()
    return client.query(text, values).finally(() => client.end())
  }
  const { rows } = await query('show server_version_num')
  const version = Math.floor(Number(rows[0].server_version_num) / 10_000)
  const drop = async () => {
    for (const name of ['certdata', 'certdata_cell', 'certdata_restored']) {
      await query(`drop database if exists ${name} with (force)`)
    }
    const logins = ['certdata_owner', 'certdata_web', 'certdata_backup', 'cell_owner', 'your_system']
    await query(`drop role if exists ${logins.join(', ')}`)
  }
  t.teardown(() => (server ? server.release() : drop()))
  return { address, query, superuser, host, port, version }
}

const hasPgDump = (version: number) =>
  Number(/ (\d+)/.exec(execFileSync('pg_dump', ['--version']).toString())?.[1]) >= version

t.test('every example runs with the logins that the documents create', async (t) => {
  const server = await openServer(t)
  const redis = await testRedis()
  if (redis) t.teardown(() => redis.stop())
  const folder = createFolder()
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const logins: Record<Login, string> = {
    administrator: server.superuser,
    owner: 'certdata_owner',
    operator: 'certdata_operator',
    your_system: 'your_system',
  }
  const shared = {
    SECRET_KEY: secretKey,
    DATABASE_URL: server.address('certdata_web', 'certdata'),
    ...(redis ? { REDIS_URL: redis.url } : {}),
  }
  const environment = (login: Login) => ({
    ...shared,
    HOME: folder,
    CURL_HOME: join(folder, 'strict'),
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
    DATABASE_ADMIN_URL: server.address(logins[login], 'certdata'),
    BACKUP_URL: server.address('certdata_backup', 'certdata'),
    PGHOST: server.host,
    PGPORT: server.port,
    PGUSER: server.superuser,
    PGDATABASE: 'postgres',
  })
  let service: Service | undefined
  let head = ''
  const certdata = (login: Login, ...words: string[]) =>
    run(['npx', '--no', 'certdata', ...words], folder, environment(login))

  const runStep = async (
    t: Test,
    [file, begins, login]: Step,
    values: readonly (readonly [string, string])[] = [],
  ) => {
    const { language, code, line } = examples.find((each) => isOf(each, [file, begins, login])) as Example
    writeTable(code, folder)
    const script = join(folder, `example.${language}`)
    const placeholders = [...values, ['http://localhost:3000', service?.base ?? ''] as const]
    writeFileSync(
      script,
      fill(language === 'sh' ? `set -euo pipefail\n${expectRefusals(code)}` : code, placeholders),
    )
    const database = login === 'administrator' && file !== 'docs/schema.md' ? 'postgres' : 'certdata'
    const command =
      language === 'sh'
        ? ['bash', script]
        : ['psql', '-v', 'ON_ERROR_STOP=1', '-f', script, server.address(logins[login], database)]
    const { status, output } = await run(command, folder, environment(login))
    t.equal(status, 0, `${file}:${line} as ${logins[login]}`, { output, code })
    return output
  }

  await t.test('the database and its logins', async (t) => {
    await server.query('drop database if exists certdata with (force)')
    await server.query('create role your_system login')
    const values = [
      ['DATABASE_ADMIN_URL=… SECRET_KEY=… ', ''],
      // The service is started below.
      [
        /^npm start.*$/m.exec(
          readFileSync(join(root, 'README.md'), 'utf8').split('## Deploy')[1] ?? '',
        )?.[0] ?? '',
        '',
      ],
    ] as const
    for (const step of beforeStart) await runStep(t, step, values)
    await server.query('alter role certdata_operator login')
    t.match(await certdata('owner', 'customers', 'add', 'acme', '--plan', 'premium'), { status: 0 })
    t.match(await certdata('owner', 'customers', 'add', 'local'), { status: 0 })
    t.match(await certdata('owner', 'import', 'records.ndjson'), { status: 0 })
  })

  service = await startService(shared)
  t.teardown(() => service?.stop())
  await untilReady(service)
  await service.printed('"audit head"')

  await t.test('the owner of a second database follows the message of migrate', async (t) => {
    await server.query('create role cell_owner login createrole')
    await server.query('create database certdata_cell owner cell_owner')
    const env = { ...environment('owner'), DATABASE_ADMIN_URL: server.address('cell_owner', 'certdata_cell') }
    const migrate = () => run(['npx', '--no', 'certdata', 'migrate'], folder, env)
    const first = await migrate()
    const grants = [...first.output.matchAll(/^ {2}(grant .+);$/gm)].map(([, grant = '']) => grant)
    t.same(grants, server.version < 16 ? [] : ['grant certdata_reader, certdata_operator to cell_owner'])
    for (const grant of grants) await server.query(grant)
    t.match(await migrate(), { status: 0 })
  })

  const requestAccess = async () => {
    const person = { company: 'A', name: 'B', email: 'a@b.example', message: 'C', consent: true }
    const answer = await fetch(`${service?.base}/v1/access-requests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(person),
    })
    return ((await answer.json()) as { id: string }).id
  }

  await t.test('the commands', async (t) => {
    const values: [string, string][] = [
      ['k3v9x2m7q4d8s1fa', await requestAccess()],
      ['q7m2c5t8w1z4x9ab', await requestAccess()],
      ['4711:q83v…', /"head":"([^"]+)"/.exec(service?.output() ?? '')?.[1] ?? ''],
      ['<new cell>', `'${server.address('cell_owner', 'certdata_cell')}'`],
      ['<history_from of the log line>', '2026-11-01T00:00:00Z'],
      ["resource = '<resource>'", "resource = 'products'"],
      ['--dbname=…', `--dbname='${server.address('certdata_owner', 'certdata_restored')}'`],
    ]
    for (const step of whileItRuns) {
      const [file, begins] = step
      const isBackup =
        file === 'docs/operations.md' && /^(npx --no certdata audit verify|createdb)/.test(begins)
      if (isBackup && !hasPgDump(server.version)) {
        t.comment(`not run: ${begins}: the installed pg_dump is older than the server`)
        continue
      }
      const restored = `DATABASE_ADMIN_URL='${server.address('certdata_owner', 'certdata_restored')}' npx`
      const more: [string, string][] =
        begins === 'createdb'
          ? [
              ['<the one noted with the dump>', head],
              ['npx', restored],
            ]
          : []
      const output = await runStep(t, step, [...values, ...more])
      if (begins === 'createdb') {
        const count = async (database: string) =>
          (await server.query('select count(*) from products where customer_id = $1', database, ['acme']))
            .rows
        t.same(await count('certdata_restored'), await count('certdata'), 'row level security hides no row')
      }
      if (begins.startsWith('npx --no certdata audit verify')) head = /\d+:[\w-]{43}/.exec(output)?.[0] ?? ''
    }
  })

  await t.test('behind a pooler, the commands of the owner are refused', async (t) => {
    for (const words of [['migrate'], ['customers', 'erase', 'acme', '--yes'], ['audit', 'prune', '--yes']]) {
      const refused = await certdata('operator', ...words)
      t.equal(refused.status, 1, words.join(' '), refused)
      t.match(refused.output, /certdata_owner/, 'and the message names the login')
    }
  })

  await t.test('export, erasure and import', async (t) => {
    await certdata('owner', 'import', 'records.ndjson')
    for (const step of atTheEnd) await runStep(t, step)
  })
})
