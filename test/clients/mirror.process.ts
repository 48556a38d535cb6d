import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { installClient } from '../../clients/tools/package.ts'
import { listExamples } from './examples.ts'

// The SQLite store of the TypeScript client's README, killed and started again.

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'certdata-mirror-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
await installClient(folder)

const readme = readFileSync(join(root, 'clients/typescript/README.md'), 'utf8')
const code = listExamples('README.md', readme).find((each) => each.code.includes('node:sqlite'))?.code ?? ''
const file = join(folder, 'mirror.db')
t.afterEach(() => {
  for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true })
})

type Change = { op: string; resource: string | null; id: string; at: string; data: object | null }
const upsert = (id: string): Change => ({ op: 'upsert', resource: 'products', id, at: 't', data: { id } })
const remove = (id: string): Change => ({ op: 'delete', resource: 'products', id, at: 't', data: null })

type Answer = (response: ServerResponse) => void
const toLines = (changes: readonly Change[]) => changes.map((each) => `${JSON.stringify(each)}\n`).join('')
const state =
  (token: string, ...changes: Change[]): Answer =>
  (response) =>
    response.writeHead(200, { 'sync-token': token }).end(toLines(changes))
const page =
  (token: string, ...data: Change[]): Answer =>
  (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ data, page: { has_more: false, next_token: token } }))
const expired: Answer = (response) =>
  response
    .writeHead(410, { 'content-type': 'application/problem+json' })
    .end(JSON.stringify({ status: 410, code: 'sync_token_expired', title: 't', detail: 'd' }))
/** Sends the lines of a state, if any, and never ends. */
const held = (token?: string, ...changes: Change[]) => {
  const reached = Promise.withResolvers<void>()
  const answer: Answer = (response) => {
    if (token !== undefined) response.writeHead(200, { 'sync-token': token }).write(toLines(changes))
    reached.resolve()
  }
  return { answer, reached: reached.promise }
}

/** Serves the answers in order. `asked`: the tokens of the requests. */
const startScript = async (answers: readonly Answer[]) => {
  const asked: (string | null)[] = []
  const listener: RequestListener = (request, response) => {
    const answer = answers[asked.length]
    asked.push(new URL(request.url ?? '', 'http://localhost').searchParams.get('after'))
    if (answer) answer(response)
    else response.writeHead(400).end()
  }
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** Runs the program with `follow`. */
const follow = (url: string) => {
  const text = code.replace('http://localhost:3000', url).replace('client.catchUp(', 'client.follow(')
  writeFileSync(join(folder, 'mirror.mjs'), text)
  const options = ['-u', 'NODE_OPTIONS', process.execPath, 'mirror.mjs']
  const child = spawn('env', options, { cwd: folder, stdio: 'ignore' })
  const closed = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await closed
  }
  return { kill, closed }
}

const readFile = () => {
  const database = new DatabaseSync(file)
  const ids = database.prepare('SELECT id FROM records ORDER BY id').all()
  const token = database.prepare('SELECT token FROM sync').get()?.token
  database.close()
  return { ids: ids.map(({ id }) => id), token }
}

/** Resolves when the program is within a transaction. */
const waitForWrite = async () => {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    for (;;) {
      database.exec('BEGIN IMMEDIATE')
      database.exec('ROLLBACK')
      await delay(10)
    }
  } catch (error) {
    if (!String(error).includes('locked')) throw error
  } finally {
    database.close()
  }
}

t.test('a killed program continues with its token', async (t) => {
  const [poll, later] = [held(), held()]
  const { url, asked } = await startScript([
    state('t1', upsert('a'), upsert('b')),
    page('t2', remove('a'), upsert('c')),
    poll.answer,
    page('t3', remove('b'), upsert('d')),
    later.answer,
  ])
  const first = follow(url)
  await poll.reached
  await first.kill()
  t.same(readFile(), { ids: ['b', 'c'], token: 't2' })
  const second = follow(url)
  await later.reached
  await second.kill()
  t.same(readFile(), { ids: ['c', 'd'], token: 't3' })
  t.same(asked, ['snapshot', 't1', 't2', 't2', 't3'], 'the state is read once')
})

t.test('a program killed within the state keeps the previous copy', async (t) => {
  const many = Array.from({ length: 2000 }, (_, number) => upsert(`new-${number}`))
  const [half, poll] = [held('t9', ...many), held()]
  const answers = [state('t1', upsert('a'), upsert('b')), expired, half.answer, page('t2', remove('a'))]
  const { url } = await startScript([...answers, poll.answer])
  const first = follow(url)
  await half.reached
  await waitForWrite()
  await first.kill()
  t.same(readFile(), { ids: ['a', 'b'], token: 't1' })
  const second = follow(url)
  await poll.reached
  await second.kill()
  t.same(readFile(), { ids: ['b'], token: 't2' })
})

t.test('an error within changes leaves records and token', async (t) => {
  const broken = { ...upsert('c'), resource: null }
  const { url } = await startScript([state('t1', upsert('a')), page('t2', remove('a'), broken)])
  t.same((await follow(url).closed)[0], 1)
  t.same(readFile(), { ids: ['a'], token: 't1' })
})
