import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { clusterName, findClusterPaths } from '../../../app/local/embedded/cluster-paths.ts'
import { findPostmaster } from '../../../app/local/embedded/postmaster.ts'
import { run } from '../../command-line.ts'
import { readResult, runProcess, startProcess } from '../../command-process.ts'
import { until } from '../../helper.ts'
import { testPostgres } from '../../servers.ts'

const rest = { resource: 'products', customer: 'acme', name: 'P', category: 'x'.repeat(1900) }
/** 500 records. */
const megabyte = Array.from({ length: 500 }, (_, n) => `${JSON.stringify({ id: `p-${n}`, ...rest })}\n`).join(
  '',
)

t.test('memory does not grow with the file', async (t) => {
  const server = await testPostgres()
  t.teardown(() => server.stop())
  const env = { DATABASE_URL: server.url }
  t.match(await run(['migrate'], { env }), { code: 0 })
  const file = join(t.testdir(), 'large.ndjson')
  writeFileSync(file, megabyte.repeat(45))
  // The first compilation of the code takes up to 40 MB of this.
  const small = { ...env, NODE_OPTIONS: '--max-old-space-size=64' }
  const { code, stdout } = await runProcess(['import', file], { env: small })
  t.equal(code, 0)
  t.match(stdout, /^22500 lines: 500 created, 0 updated, 22000 unchanged/)
})

t.test('on the bundled database', async (t) => {
  // A short path for the server's socket, in a folder that the server's user can reach.
  const env = { DATA_DIR: join(tmpdir(), `certdata-import-${process.pid}`) }
  t.teardown(() => rmSync(env.DATA_DIR, { recursive: true, force: true }))
  const findServer = () => findPostmaster(join(findClusterPaths(env.DATA_DIR).home, clusterName))
  t.match(await runProcess(['migrate'], { env }), { code: 0, stderr: /^$/ })

  await t.test('a signal stops an import and the bundled server', async (t) => {
    const child = startProcess(['import', '-', '--customer', 'acme'], env)
    const ended = readResult(child)
    // More than a pipe holds: once all of it is written, the import is running.
    await new Promise((taken) => child.stdin.write(megabyte, taken))
    t.ok(findServer())
    child.stdin.on('error', () => {})
    child.kill('SIGTERM')
    t.match(await ended, { code: 143, stdout: /^$/ })
    t.equal(findServer(), undefined)
  })

  await t.test('a signal during the start of the bundled server stops it', async (t) => {
    const child = startProcess(['import', '-', '--customer', 'acme'], env)
    const ended = readResult(child)
    await until('it starts', () => findServer() !== undefined)
    child.kill('SIGTERM')
    t.match(await ended, { code: 143 })
    t.equal(findServer(), undefined)
  })
})
