import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Service, startService } from '../../clients/tools/service.ts'

/**
 * Reads the service with clients of other projects: dlt walks a list of 100 records by `Link` and by
 * `next_cursor`, and event-source-polyfill continues an interrupted stream. Exits with 1 if one misses a record.
 */
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'certdata-third-party-'))
/** Versions are pinned, so that a failure is a change of this repository. */
const pythonPackage = 'dlt==1.20.0'
const nodePackage = 'event-source-polyfill@1.0.31'
const python = join(folder, 'python', 'bin', 'python')
const records = 100
const pageSize = 20
const streamLimitMs = 60_000

const install = async (): Promise<void> => {
  await run(process.env.PYTHON ?? 'python3', ['-m', 'venv', join(folder, 'python')])
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', pythonPackage])
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, nodePackage])
}

const importProducts = async (service: Service, ids: readonly string[]): Promise<void> => {
  const file = join(folder, 'products.ndjson')
  const lines = ids.map((id) => JSON.stringify({ resource: 'products', id, name: `Product, ${id}; "x"` }))
  writeFileSync(file, lines.join('\n'))
  await service.certdata('import', file, '--customer', 'local')
}

const logIn = async ({ url, apiKey }: Service): Promise<string> => {
  const answer = await fetch(`${url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return ((await answer.json()) as { access_token: string }).access_token
}

const report = (name: string, isRight: boolean, detail: string): void => {
  console.log(`${isRight ? 'ok' : 'RED'}: ${name}: ${detail}`)
  if (!isRight) process.exitCode = 1
}

const walk = async (paginator: string, list: string, { url }: Service, token: string): Promise<void> => {
  const env = { ...process.env, SERVICE_URL: url, TOKEN: token, PAGINATOR: paginator, LIST: list }
  const script = join(import.meta.dirname, 'paginate.py')
  const { stdout } = await run(python, [script], { cwd: folder, env })
  const pages = JSON.parse(stdout) as string[][]
  const seen = new Set(pages.flat())
  const isRight = seen.size === records && pages.flat().length === records && pages.length > 1
  const query = list.length > 60 ? `${list.slice(0, 60)}… (${list.length} bytes)` : list
  report(
    `dlt by ${paginator}`,
    isRight,
    `${seen.size} of ${records} records on ${pages.length} pages, ${query}`,
  )
}

type Polyfill = {
  onmessage: (event: { data: string }) => void
  onerror: (event: { status?: number }) => void
  close(): void
}

/** Ends each answer after its second event, so that the polyfill continues after the event that it has. */
const cutAfterTwo = (targets: string[]): typeof fetch => {
  const send = globalThis.fetch
  return async (input, init) => {
    targets.push(String(input))
    const answer = await send(input, init)
    if (!answer.body || !answer.ok) return answer
    let text = ''
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk)
        text += Buffer.from(chunk).toString()
        if (text.split('\ndata: ').length > 2) controller.terminate()
      },
    })
    const { status, headers } = answer
    return new Response(answer.body.pipeThrough(cut), { status, headers })
  }
}

const stream = async (service: Service, token: string): Promise<void> => {
  const targets: string[] = []
  const send = globalThis.fetch
  const cutting = cutAfterTwo(targets)
  // The polyfill keeps the fetch that it finds when it is loaded.
  globalThis.fetch = cutting
  const { EventSourcePolyfill } = createRequire(join(folder, 'x.js'))('event-source-polyfill') as {
    EventSourcePolyfill: new (url: string, options: object) => Polyfill
  }
  const wanted = ['s1', 's2', 's3']
  const seen: string[] = []
  let refusal = 0
  const ended = Promise.withResolvers<void>()
  const timer = setTimeout(ended.resolve, streamLimitMs)
  const source = new EventSourcePolyfill(`${service.url}/v1/changes?resources=products`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  const waiting = [...wanted]
  source.onmessage = ({ data }) => {
    for (const { id } of (JSON.parse(data) as { data: { id: string }[] }).data) seen.push(id)
    if (wanted.every((id) => seen.includes(id))) ended.resolve()
    else if (waiting.length > 0) importProducts(service, [waiting.shift() as string]).catch(ended.reject)
  }
  source.onerror = ({ status = 0 }) => {
    if (status < 400) return
    refusal = status
    ended.resolve()
  }
  try {
    await ended.promise
  } finally {
    clearTimeout(timer)
    source.close()
    globalThis.fetch = send
  }
  const resumed = targets.filter((target) => target.includes('lastEventId=')).length
  const isComplete = wanted.every((id) => seen.filter((each) => each === id).length === 1)
  const detail = refusal > 0 ? `refused with ${refusal}` : `${seen} in ${targets.length} connections`
  report('event-source-polyfill', isComplete && resumed > 0, `${detail}, ${resumed} with lastEventId`)
}

const service = await startService()
try {
  await install()
  const ids = Array.from({ length: records }, (_, n) => `third-${n}`)
  await importProducts(service, ids)
  const token = await logIn(service)
  const prefix = encodeURIComponent('Product, third-')
  const long = encodeURIComponent('x;,'.repeat(250))
  for (const list of [
    `/v1/products?limit=${pageSize}&name[prefix]=${prefix}`,
    `/v1/products?limit=${pageSize}&name[prefix]=${prefix}&sort=id`,
    `/v1/products?limit=${pageSize}&name[prefix]=${prefix}&model[ne]=${long}`,
    `/v1/products?limit=${pageSize}&id=${ids.join()}`,
  ]) {
    for (const paginator of ['link', 'cursor']) await walk(paginator, list, service, token)
  }
  await stream(service, token)
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
