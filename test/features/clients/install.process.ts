import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { buildPackages } from '../../../clients/tools/packages.ts'
import { startService } from '../../../clients/tools/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'certdata-install-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const root = join(import.meta.dirname, '../../..')
const packages = buildPackages()
const build = await promisify(execFile)(process.execPath, ['clients/build.ts'], { cwd: root })
const service = await startService()
t.teardown(() => service.stop())

const getAddress = (language: 'typescript' | 'python') =>
  `${service.url}/clients/${packages.find((each) => each.language === language)?.file}`

/** Runs a program in an empty folder, without the settings of the test runner and of the user. */
const run = async (name: string, command: readonly string[]) => {
  const cwd = join(folder, name)
  mkdirSync(cwd, { recursive: true })
  const path = `${join(process.execPath, '..')}:${process.env.PATH}`
  return promisify(execFile)(command[0] as string, command.slice(1), {
    cwd,
    env: { PATH: path, HOME: cwd, npm_config_audit: 'false', npm_config_update_notifier: 'false' },
  })
}

t.test('the build names its folder and the next step', async (t) => {
  t.match(
    build.stdout,
    /The files are in app\/features\/clients\/packages\. Start the service again: it then sends them at \/clients\/\.\n$/,
  )
})

/** The last JavaScript of the quick start, with the file name in the text before it. */
const readQuickStart = () => {
  const text = readFileSync(join(root, 'docs/quick-start.md'), 'utf8')
  const [, fileName = '', typedName = '', code = ''] =
    /`node (\S+)`\. In TypeScript, name it `(\S+)`:\n\n```js\n([\s\S]*?)```/.exec(text) ?? []
  const filled = code.replace('http://localhost:3000', service.url).replace('cda_live_…', service.apiKey)
  return { fileName, typedName, code: filled }
}

t.test('npm installs the client from its address in an empty folder', async (t) => {
  await run('npm', ['npm', 'init', '--yes'])
  await run('npm', ['npm', 'install', getAddress('typescript')])
  const lock = JSON.parse(readFileSync(join(folder, 'npm/package-lock.json'), 'utf8'))
  const { integrity, version } = packages[0] ?? {}
  t.match(lock.packages['node_modules/certdata-client'], { version, integrity }, 'the hash of the changelog')
  await service.certdata('import', join(root, 'examples/records.ndjson'), '--customer', 'local')
  const { fileName, typedName, code } = readQuickStart()
  for (const name of [fileName, typedName]) writeFileSync(join(folder, 'npm', name), code)
  t.strictSame(await run('npm', ['node', fileName]), {
    stdout: 'AC-DoC-2026-001 approved\nER12345/23 approved\n',
    stderr: '',
  })
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--noEmit', '--types', '']
  await run('npm', ['node', compiler, ...options, typedName])
  const help = await run('npm', ['npx', '--no', 'certdata-client', '--', '--help'])
  t.match(help.stdout, 'Usage: certdata-client listen')
  t.match(help.stdout, 'certdata-client keys | usage | webhooks | deliveries <webhook id>')
})

// `.ci/python-client` installs it with its dependencies, which pip downloads.
t.test('pip installs the client from its address in an empty environment', async (t) => {
  await run('pip', ['python3', '-m', 'venv', '.'])
  const { sha256 = '' } = packages[1] ?? {}
  const address = `certdata-client[signatures] @ ${getAddress('python')}#sha256=${sha256}`
  await run('pip', ['bin/pip', 'install', '--no-deps', '--disable-pip-version-check', address])
  const program = `
from importlib.metadata import distribution, version
from hashlib import sha256
from base64 import urlsafe_b64encode
files = distribution("certdata-client").files
recorded = [file for file in files if file.hash and file.suffix in (".py", ".typed")]
for file in recorded:
    found = urlsafe_b64encode(sha256(file.read_binary()).digest()).rstrip(b"=").decode()
    assert found == file.hash.value, file
print(version("certdata-client"), len(recorded) > 20, len(distribution("certdata-client").entry_points))
`
  const { stdout } = await run('pip', ['bin/python', '-c', program])
  t.equal(stdout.trim(), `${packages[1]?.version} True 1`)
  const wrong = `${getAddress('python')}#sha256=${'0'.repeat(64)}`
  const options = ['install', '--force-reinstall', '--no-deps', '--no-cache-dir', wrong]
  await t.rejects(run('pip', ['bin/pip', ...options]), /DO NOT MATCH THE HASHES/)
})

t.test('the page is served with its style', async (t) => {
  const answer = await fetch(`${service.url}/clients/`)
  t.equal(answer.status, 200)
  t.match(await answer.text(), `npm install ${getAddress('typescript')}`)
})
