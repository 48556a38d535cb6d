import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient, parseCell, splitCsv, verifyWebhook } from 'certdata-client'
import { toQuery } from './pure.js'
import { startScript } from './script.js'

// Tests the installed package against a running service with the example records: CERTDATA_URL,
// CERTDATA_API_KEY.

const url = process.env.CERTDATA_URL
const apiKey = process.env.CERTDATA_API_KEY
const demo = createClient({ url, token: 'cda_demo_public' })

/** The real fetch, which also records its requests. */
const recording = () => {
  const asked = []
  const recorded = async (input, init) => {
    const answer = await fetch(input, init)
    asked.push({ target: String(input).slice(url.length), status: answer.status })
    return answer
  }
  return { asked, fetch: recorded }
}

const collect = async (source) => {
  const items = []
  for await (const item of source) items.push(item)
  return items
}

test('parallel requests share one login, and show this customer alone', async () => {
  const record = recording()
  const client = createClient({ url, apiKey, fetch: record.fetch })
  const answers = await Promise.all([client.me(), client.list('products'), client.list('certificates')])
  assert.equal(answers[0].customer, 'local')
  assert.deepEqual(answers[1].data.map(({ id }) => id).sort(), ['P-100', 'P-110'])
  assert.equal(record.asked.filter(({ target }) => target === '/v1/auth/login').length, 1)
})

test('a walk over pages has what one page has, in its order', async () => {
  const { data } = await demo.list('certificates', { sort: 'id', limit: 500, fields: ['number'] })
  assert.ok(data.length > 20)
  const walked = await collect(demo.all('certificates', { limit: 20, fields: ['number'] }))
  assert.deepEqual(walked, data)
})

test('an unchanged record is answered from the cache, by its tag', async () => {
  const client = createClient({ url, apiKey })
  const first = await client.request('/v1/products/P-100')
  const second = await client.request('/v1/products/P-100')
  assert.deepEqual([first.notModified, second.notModified], [false, true])
  assert.deepEqual(second.body, first.body)
})

test('an export has what the pages have, and the same as CSV', async () => {
  const query = { sort: 'number', fields: ['number', 'days_remaining', 'standards', 'holder'] }
  const paged = await collect(demo.all('certificates', { ...query, limit: 500 }))
  assert.deepEqual(await collect(demo.export('certificates', query)), paged)
  const answer = await demo.download('/v1/certificates', { ...query, format: 'csv' })
  assert.match(answer.headers.get('content-type'), /^text\/csv/)
  const [header, ...rows] = splitCsv(await answer.text())
  assert.deepEqual(header, ['id', 'number', 'days_remaining', 'standards', 'holder'])
  const kinds = ['text', 'text', 'number', 'list', 'text']
  const read = rows.map((row) =>
    Object.fromEntries(row.map((cell, i) => [header[i], parseCell(cell, kinds[i])])),
  )
  assert.deepEqual(read, paged)
})

test('a custom endpoint answers the shape that it defines', async () => {
  const { last_updated: day } = await demo.custom('dashboard-overview')
  assert.match(day, /^\d{4}-\d\d-\d\d$/)
})

test('a refusal names its code and its faults', async () => {
  await assert.rejects(demo.list('products', { nmae: 'x' }), (error) => {
    assert.equal(error.code, 'invalid_query')
    assert.equal(error.faults[0].did_you_mean, 'name')
    return true
  })
  await assert.rejects(demo.get('products', 'nothing-here'), { code: 'not_found', status: 404 })
  const wrong = createClient({ url, apiKey: 'cda_live_no' })
  await assert.rejects(wrong.me(), { code: 'invalid_api_key' })
})

test('a follower has the state, and stops at once', async () => {
  const client = createClient({ url, apiKey })
  const copy = new Map()
  const stopping = new AbortController()
  const store = {
    loadToken: async () => undefined,
    async replaceAll(state) {
      for await (const { resource, id, data } of state) copy.set(`${resource}/${id}`, data)
    },
    apply: async () => {},
  }
  const options = {
    resources: ['products'],
    signal: stopping.signal,
    onCaughtUp: () => stopping.abort('enough'),
  }
  await assert.rejects(client.follow(store, options), (reason) => reason === 'enough')
  assert.deepEqual([...copy.keys()].sort(), ['products/P-100', 'products/P-110'])
  assert.deepEqual(copy.get('products/P-100'), (await client.get('products', 'P-100')).data)
})

test('a stream of changes begins with a token, goes on from one, and is left', async () => {
  const read = async (query) => {
    for await (const page of demo.streamChanges(query)) return page
  }
  const { data, page } = await read({ resources: ['products'] })
  assert.deepEqual(data, [])
  assert.match((await read({ after: page.next_token })).page.next_token, /^\S+$/)
  await assert.rejects(read({ after: 'x' }), { code: 'invalid_sync_token' })
})

test('the service takes every query of the vectors that names a resource', async () => {
  const vectors = JSON.parse(readFileSync(`${process.env.CERTDATA_VECTORS}/query.json`, 'utf8'))
  const known = vectors.filter(({ resource }) => resource)
  assert.ok(known.length >= 20)
  const client = createClient({ url, apiKey })
  for (const { resource, query } of known) await client.list(resource, toQuery(query))
})

test('requests one after the other keep to one connection, refusals and 304 among them', async (t) => {
  // A proxy between client and service counts the connections.
  let connections = 0
  const { port } = new URL(url)
  const { createServer } = await import('node:net')
  const door = createServer((socket) => {
    connections += 1
    const onward = connect(Number(port), 'localhost')
    socket.pipe(onward).pipe(socket)
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ]) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => door.once('listening', resolve))
  t.after(() => door.close())
  const client = createClient({ url: `http://127.0.0.1:${door.address().port}`, apiKey })
  await client.me()
  await client.request('/v1/products/P-100')
  assert.equal((await client.request('/v1/products/P-100')).notModified, true)
  await assert.rejects(client.get('products', 'nothing-here'))
  await collect(client.export('products'))
  await client.list('products')
  for (let i = 0; i < 20; i++) await client.get('products', 'P-100')
  // Node's fetch returns a body slightly before it releases the connection. A request in between would open
  // another one.
  assert.equal(connections, 1)
})

test('a read is repeated after 429, 503 and a broken connection, and then answered', async (t) => {
  const refusal = (status, code) => ({
    status,
    headers: { 'content-type': 'application/problem+json', 'retry-after': '0' },
    body: { type: 'about:blank', title: 't', status, code, detail: 'd' },
  })
  const broken = (response) => response.socket.destroy()
  const cut = (response) => {
    response.writeHead(200, { 'content-length': '10' }).write('{', () => response.socket.destroy())
  }
  const answers = [
    refusal(429, 'quota_exceeded'),
    refusal(503, 'unavailable'),
    broken,
    cut,
    { body: { n: 1 } },
  ]
  const script = await startScript(t, answers)
  const client = createClient({ url: script.url, token: 'x', retry: { firstDelayMs: 1 } })
  assert.deepEqual((await client.request('/v1/me')).body, { n: 1 })
  assert.equal(script.asked.length, 5)
})

test('the account has keys, usage and webhooks', async () => {
  const client = createClient({ url, apiKey })
  const current = (await client.listKeys()).filter(({ is_current }) => is_current)
  assert.deepEqual(
    current.map(({ id, state }) => ({ id, state })),
    [{ id: apiKey.split('_')[2], state: 'active' }],
  )
  const { data, counted } = await client.getUsage()
  assert.ok(Array.isArray(data))
  assert.equal(counted.write_seconds, 60)
  assert.deepEqual(await client.listWebhooks(), [])
  await assert.rejects(client.listWebhookDeliveries('wh_none'), { code: 'not_found' })
  await assert.rejects(demo.listKeys(), { code: 'live_token_required' })
})

const command = new URL('../node_modules/certdata-client/bin/certdata-client.js', import.meta.url).pathname
/** Runs the command with the key on standard input, and collects its output. */
const runCommand = (words, env = {}) => {
  const child = spawn(process.execPath, [command, ...words], { env: { PATH: process.env.PATH, ...env } })
  const run = { child, output: '', ended: once(child, 'close') }
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      run.output += chunk
    })
  }
  return run
}

test('the command listen sends a signed test message to this machine, and ends on Ctrl-C', async (t) => {
  const received = Promise.withResolvers?.() ?? {}
  received.promise ??= new Promise((resolve) => Object.assign(received, { resolve }))
  const receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    response.writeHead(204).end()
    received.resolve({ headers: request.headers, body })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.after(() => receiver.close())
  const forward = `http://127.0.0.1:${receiver.address().port}/hook`
  const run = runCommand([
    'listen',
    '--forward',
    forward,
    '--url',
    url,
    '--resources',
    'products',
    '--key',
    '-',
  ])
  run.child.stdin.end(`${apiKey}\n`)
  t.after(() => run.child.kill())
  const message = await Promise.race([received.promise, run.ended.then(() => assert.fail(run.output))])
  const keys = [JSON.parse(/JSON Web Key: (.+)/.exec(run.output)[1])]
  const { type, data } = await verifyWebhook({ ...message, keys })
  assert.deepEqual({ type, data }, { type: 'webhook.test', data: { resources: ['products'] } })
  run.child.kill('SIGINT')
  assert.deepEqual(await run.ended, [null, 'SIGINT'])
})

test('the commands of the account print JSON, and end', async () => {
  for (const [name, check] of [
    ['keys', (keys) => assert.ok(keys.some(({ id }) => id === apiKey.split('_')[2]))],
    ['usage', ({ counted }) => assert.equal(counted.write_seconds, 60)],
    ['webhooks', (webhooks) => assert.deepEqual(webhooks, [])],
  ]) {
    const run = runCommand([name, '--key', '-'], { CERTDATA_URL: url })
    run.child.stdin.end(apiKey)
    assert.deepEqual(await run.ended, [0, null], run.output)
    check(JSON.parse(run.output))
  }
})

test('the command listen names its faults, and takes no key as an argument', async () => {
  const local = ['listen', '--forward', 'http://localhost:1/hook']
  for (const [words, env, code, reason] of [
    [['listen'], {}, 2, /Expected: listen --forward <url>/],
    [['lisen', ...local.slice(1)], {}, 2, /Expected listen, keys, usage, webhooks, deliveries/],
    [[], {}, 2, /Expected listen, keys, usage, webhooks, deliveries/],
    [['keys', ...local.slice(1)], {}, 2, /--forward is an option of listen/],
    [['deliveries'], {}, 2, /Expected: deliveries <webhook id>/],
    [['keys', 'more'], {}, 2, /Expected: keys\n/],
    [['keys'], { CERTDATA_API_KEY: 'x' }, 2, /No service: set CERTDATA_URL or --url/],
    [['usage'], { CERTDATA_URL: url, CERTDATA_API_KEY: 'x' }, 1, /\(invalid_api_key, 401\)/],
    [['deliveries', 'a/b'], { CERTDATA_URL: url, CERTDATA_API_KEY: apiKey }, 1, /\(not_found, 404\)/],
    [[...local, '--ur', url], {}, 2, /Unknown option '--ur'/],
    [local, { CERTDATA_API_KEY: 'x' }, 2, /No service: set CERTDATA_URL or --url/],
    [local, { CERTDATA_URL: url }, 2, /No API key: set CERTDATA_API_KEY/],
    [[...local, '--key', 'cda_live_x'], { CERTDATA_URL: url }, 2, /--key takes only -/],
    [local, { CERTDATA_URL: 'localhost:1', CERTDATA_API_KEY: 'x' }, 1, /for example http:\/\/localhost:1\n/],
    [
      ['listen', '--forward', 'http://example.com'],
      { CERTDATA_URL: url, CERTDATA_API_KEY: 'x' },
      1,
      /this machine/,
    ],
    [local, { CERTDATA_URL: url, CERTDATA_API_KEY: 'x' }, 1, /\(invalid_api_key, 401\)/],
  ]) {
    const run = runCommand(words, env)
    assert.deepEqual(await run.ended, [code, null], run.output)
    assert.match(run.output, reason)
  }
})

test('the key file keeps one signing key between runs, and only for this user', async (t) => {
  const receiver = createServer((_request, response) => response.writeHead(410).end()).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'certdata-listen-'))
  t.after(() => {
    receiver.close()
    rmSync(folder, { recursive: true })
  })
  const file = join(folder, 'listen-key.pem')
  const forward = `http://127.0.0.1:${receiver.address().port}/hook`
  const words = ['listen', '--forward', forward, '--url', url, '--resources', 'products']
  const readKey = async (...more) => {
    const run = runCommand([...words, ...more], { CERTDATA_API_KEY: apiKey })
    assert.deepEqual(await run.ended, [1, null], run.output)
    return /Public key: (whpk_\S+)/.exec(run.output)?.[1] ?? run.output
  }
  const keys = [await readKey('--key-file', file), await readKey('--key-file', file), await readKey()]
  assert.equal(keys[0], keys[1])
  assert.notEqual(keys[0], keys[2])
  assert.match(keys[2], /^whpk_/)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  chmodSync(file, 0o644)
  assert.match(await readKey('--key-file', file), /run chmod 600 /)
  writeFileSync(file, 'no key')
  chmodSync(file, 0o600)
  assert.match(await readKey('--key-file', file), /Expected a private key of Ed25519/)
})
