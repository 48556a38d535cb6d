import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installClient, runClientSuite } from './tools/package.ts'
import { startService } from './tools/service.ts'

// Runs the packed TypeScript client's suite on each supported Node.js version, downloaded from the npm
// registry into a temporary folder.

const versions = ['20', '22', '24']
const folder = mkdtempSync(join(tmpdir(), 'certdata-runtimes-'))

/** Returns the path of the newest Node.js of this major version. */
const fetchNode = async (version: string): Promise<string> => {
  const cwd = join(folder, `node-${version}`)
  mkdirSync(cwd)
  const name = `node-${process.platform}-${process.arch}`
  await promisify(execFile)('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--prefix',
    cwd,
    `${name}@${version}`,
  ])
  return join(cwd, 'node_modules', name, 'bin/node')
}

const service = await startService()
try {
  await service.certdata(
    'import',
    join(import.meta.dirname, '../examples/records.ndjson'),
    '--customer',
    'local',
  )
  const installed = join(folder, 'client')
  mkdirSync(installed)
  await installClient(installed)
  for (const version of versions) {
    const node = await fetchNode(version)
    const { stdout: exact } = await promisify(execFile)(node, ['--version'])
    const { passed, failed, output } = await runClientSuite(node, installed, service)
    console.log(`Node.js ${exact.trim()}: ${passed} passed, ${failed} failed`)
    if (failed === 0 && passed > 0) continue
    console.log(output)
    process.exitCode = 1
  }
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
