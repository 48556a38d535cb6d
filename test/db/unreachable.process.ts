import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createPool } from '../../app/db/connect.ts'
import { toApiError } from '../../plugins/problems.ts'
import { makeDataFolder, testPostgres } from '../servers.ts'

const options = { max: 300, applicationName: 'test', onError: () => {} }
const unavailable = { code: 'unavailable', status: 503, extras: { headers: { 'retry-after': '1' } } }

t.test('a statement on a connection that was lost before is answered 503 with Retry-After', async (t) => {
  const server = await testPostgres()
  const pool = createPool(server.url, options)
  t.teardown(async () => {
    await pool.end()
    await server.stop()
  })
  const lost = await pool.connect()
  const { rows } = await lost.query('select pg_backend_pid() as pid')
  const ended = new Promise<void>((resolve) => lost.once('end', resolve))
  await pool.query('select pg_terminate_backend($1)', [rows[0].pid])
  await ended
  const error = await lost.query('select 1').catch((reason: unknown) => reason)
  lost.release(true)
  t.match((error as Error).message, /is not queryable/)
  t.match(toApiError(error), unavailable)
})

const listener = `
const server = require('node:net').createServer().listen({ path: process.argv[1], backlog: 1 })
server.on('listening', () => process.stdout.write('listening'))`

t.test(
  'a Unix socket whose stopped server takes no connection is answered 503 with Retry-After',
  async (t) => {
    const folder = makeDataFolder('stopped')
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const child = spawn(process.execPath, ['-e', listener, join(folder, '.s.PGSQL.5432')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    child.kill('SIGSTOP')
    const pool = createPool(`postgresql://someone@/nothing?host=${encodeURIComponent(folder)}`, options)
    // The first few connections wait in the socket's queue.
    const error = await new Promise((resolve) => {
      for (let connection = 0; connection < 8; connection += 1) pool.connect().catch(resolve)
    })
    t.match(error, { code: 'EAGAIN' })
    t.match(toApiError(error), unavailable)
    child.kill('SIGKILL')
  },
)
