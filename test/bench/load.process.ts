import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { ask } from '../../bench/lib/ask.ts'
import { makeCertificate } from '../../bench/lib/certificate.ts'
import { cpuMs, getParent } from '../../bench/lib/cpu.ts'
import type { Target } from '../../bench/lib/generators.ts'
import { measure } from '../../bench/lib/load.ts'
import { findOnPath, startReference } from '../../bench/lib/processes.ts'
import { createUniquePages } from '../../bench/lib/unique.ts'

const certificate = makeCertificate()
t.teardown(certificate.remove)

const instructions = {
  status: 200,
  fields: [
    ['content-type', 'text/plain'],
    ['content-length', '5'],
    ['etag', '"a"'],
  ] as [string, string][],
  body: Buffer.from('bytes').toString('base64'),
}
const ways = {
  'HTTP/1.1': {},
  'HTTP/1.1 over TLS': { tls: certificate.files },
  'HTTP/2': { tls: certificate.files, isHttp2: true },
}

for (const [name, way] of Object.entries(ways)) {
  t.test(`over ${name} a reference sends its fields and bytes, and its time is counted`, async (t) => {
    const server = await startReference({ ...instructions, ...way })
    t.teardown(server.stop)
    const target: Target = { server, path: '/', isHttp2: 'isHttp2' in way }
    const { status, fields, body } = await ask({ ...target, url: server.url })
    t.match({ status, body: String(body) }, { status: 200, body: 'bytes' })
    t.match(
      fields.filter(([name]) => !/^(date|connection|keep-alive)$/i.test(name)),
      instructions.fields,
    )
    if (target.isHttp2 && !findOnPath('h2load')) return
    const sample = await measure(target, { seconds: 1, connections: 8, stores: [process.pid] })
    t.equal(sample.failed, 0)
    t.ok(sample.answers > 100 && sample.bytes > 5 * sample.answers)
    t.ok(sample.averageMs > 0 && sample.averageMs < 3000)
    if (process.platform !== 'linux') return
    t.ok(sample.cpuMs > 0 && sample.cpuMs * sample.answers < 2000, 'more than one core cannot be')
    t.ok(sample.storeMs > 0)
  })
}

t.test('a reference of a 304 sends no body', async (t) => {
  const server = await startReference({ ...instructions, fields: [['etag', '"a"']], status: 304 })
  t.teardown(server.stop)
  const { status, body } = await ask({ url: server.url, path: '/' })
  t.match({ status, body: String(body) }, { status: 304, body: '' })
})

t.test('requests of unique pages differ in every run and keep their method, fields and body', async (t) => {
  const seen = new Set<string>()
  let asked = 0
  const server = createServer((request, response) => {
    asked += 1
    seen.add(decodeURI(request.url ?? ''))
    const isWhole = request.headers['x-field'] === 'a "b"' && request.method === 'POST'
    response.statusCode = isWhole && request.headers['content-length'] === '4' ? 200 : 400
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const target: Target = {
    server: { url: `http://127.0.0.1:${port}`, label: '', pid: process.pid, stop: async () => {} },
    method: 'POST',
    path: '/',
    body: 'body',
    headers: { 'x-field': 'a "b"' },
    numbered: createUniquePages(),
  }
  for (const _ of [1, 2]) t.equal((await measure(target, { seconds: 1, connections: 2 })).failed, 0)
  t.equal(seen.size, asked)
  t.ok(seen.has('/v1/certificates?limit=50&created_at[lt]=2200-01-01T00:00:02.000005Z'))
})

t.test('processor time includes all child processes, also ended ones', async (t) => {
  if (process.platform !== 'linux') return
  const before = cpuMs(process.pid)
  const work = 'while (process.cpuUsage().user < 400_000);'
  const child = spawn(process.execPath, ['-e', `${work} setInterval(() => {}, 1000)`])
  const pid = child.pid as number
  t.equal(getParent(pid), process.pid)
  while (cpuMs(pid) < 300) await new Promise((resolve) => setTimeout(resolve, 20))
  t.ok(cpuMs(process.pid) - before >= 300, 'while it lives')
  child.kill()
  await once(child, 'exit')
  t.ok(cpuMs(process.pid) - before >= 290, 'when it has ended')
  t.equal(cpuMs(2 ** 30), 0, 'a process that does not exist has none')
})
