import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Service, startService } from '../../clients/tools/service.ts'

/**
 * Walks a list of 100 records with the paginators of dlt, by `Link` and by `next_cursor`. Exits with 1 if one misses
 * a record or repeats one.
 */
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'certdata-third-party-'))
/** The version is pinned, so that a failure is a change of this repository. */
const pythonPackage = 'dlt==1.20.0'
const python = join(folder, 'python', 'bin', 'python')
const records = 100
const pageSize = 20

const install = async (): Promise<void> => {
  await run(process.env.PYTHON ?? 'python3', ['-m', 'venv', join(folder, 'python')])
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', pythonPackage])
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
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
