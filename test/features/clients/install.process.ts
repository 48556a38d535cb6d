import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { packagesFolder } from '../../../app/features/clients/packages.ts'
import { buildPackages, writePackages } from '../../../clients/tools/packages.ts'
import { startService } from '../../../clients/tools/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'certdata-install-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const packages = buildPackages()
writePackages(packages, fileURLToPath(packagesFolder))
const service = await startService()
t.teardown(() => service.stop())

const getAddress = (language: 'typescript' | 'python') =>
  `${service.url}/clients/${packages.find((each) => each.language === language)?.file}`

/** Runs a program in an empty folder, without the settings of the test runner and of the user. */
const run = async (name: string, command: readonly string[]) => {
  const cwd = join(folder, name)
  mkdirSync(cwd, { recursive: true })
  const path = `${join(process.execPath, '..')}:${process.env.PATH}`
  const { stdout } = await promisify(execFile)(command[0] as string, command.slice(1), {
    cwd,
    env: { PATH: path, HOME: cwd, npm_config_audit: 'false', npm_config_update_notifier: 'false' },
  })
  return stdout
}

t.test('npm installs the client from its address in an empty folder', async (t) => {
  await run('npm', ['npm', 'init', '--yes'])
  await run('npm', ['npm', 'install', getAddress('typescript')])
  const lock = JSON.parse(readFileSync(join(folder, 'npm/package-lock.json'), 'utf8'))
  const { integrity, version } = packages[0] ?? {}
  t.match(lock.packages['node_modules/certdata-client'], { version, integrity }, 'the hash of the changelog')
  writeFileSync(
    join(folder, 'npm/use.mjs'),
    `import { createClient } from 'certdata-client'
    const client = createClient({ url: '${service.url}', token: '${service.demoToken}' })
    console.log((await client.get('products', 'prd-tracker-mini')).data.name)`,
  )
  t.equal((await run('npm', ['node', 'use.mjs'])).trim(), 'Tracker Mini')
  t.match(
    await run('npm', ['npx', '--no', 'certdata-client', '--', '--help']),
    'Usage: certdata-client listen',
  )
})

// `.ci/python-client` installs it with its dependencies, which pip downloads.
t.test('pip installs the client from its address in an empty environment', async (t) => {
  await run('pip', ['python3', '-m', 'venv', '.'])
  const { sha256 = '' } = packages[1] ?? {}
  const address = `${getAddress('python')}#sha256=${sha256}`
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
  t.equal((await run('pip', ['bin/python', '-c', program])).trim(), `${packages[1]?.version} True 1`)
  const wrong = `${getAddress('python')}#sha256=${'0'.repeat(64)}`
  const options = ['install', '--force-reinstall', '--no-deps', '--no-cache-dir', wrong]
  await t.rejects(run('pip', ['bin/pip', ...options]), /DO NOT MATCH THE HASHES/)
})

t.test('the page is served with its style', async (t) => {
  const answer = await fetch(`${service.url}/clients/`)
  t.equal(answer.status, 200)
  t.match(await answer.text(), `npm install ${getAddress('typescript')}`)
})
