import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { chromium } from 'playwright-core'
import t, { type Test } from 'tap'
import { addCustomer, createTestDatabase, listenTestApp } from '../../test/helper.ts'

/**
 * Tests the built client in a real browser, on a page of another origin. It needs Chromium (CHROMIUM, or
 * /usr/bin/chromium).
 */

const root = join(import.meta.dirname, '../..')

/** Serves the built client, its pure vectors, and a page that may import them. */
const servePage = async (t: Test): Promise<string> => {
  const dist = t.testdir({})
  const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'clients/typescript')]
  await promisify(execFile)('env', ['-u', 'NODE_OPTIONS', process.execPath, ...tsc, '--outDir', dist])
  const pages = createServer(({ url = '/' }, answer) => {
    const file = [dist, join(root, 'clients/typescript/test'), join(root, 'clients/vectors')]
      .map((place) => join(place, url))
      .find((name) => /\.js(on)?$/.test(name) && existsSync(name))
    answer.writeHead(200, { 'content-type': url.endsWith('.js') ? 'text/javascript' : 'text/html' })
    answer.end(file ? readFileSync(file) : '<!doctype html><title>page</title>')
  }).listen(0, '127.0.0.1')
  await once(pages, 'listening')
  t.teardown(() => pages.close())
  return `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
}

const openPage = async (t: Test, origin: string) => {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  t.teardown(() => browser.close())
  const page = await browser.newPage()
  await page.goto(origin)
  return page
}

t.test('in a browser every vector that needs no server holds', async (t) => {
  const origin = await servePage(t)
  const page = await openPage(t, origin)
  const outcome = await page.evaluate(async (address) => {
    const place = (name: string) => `${address}/${name}`
    const client = await import(place('index.js'))
    const { judge, pureFiles } = await import(place('pure.js'))
    const differences: string[] = []
    let count = 0
    for (const file of pureFiles as string[]) {
      for (const vector of (await (await fetch(place(`${file}.json`))).json()) as { name: string }[]) {
        const difference = await judge(client, file, vector)
        if (difference) differences.push(`${file}: ${vector.name}: ${difference}`)
        count += 1
      }
    }
    return { files: pureFiles as string[], count, differences }
  }, origin)
  const counts = JSON.parse(readFileSync(join(root, 'clients/vectors/counts.json'), 'utf8'))
  const expected = outcome.files.reduce((sum, file) => sum + counts[file], 0)
  t.same(outcome.differences, [])
  t.equal(outcome.count, expected)
  t.comment(`${outcome.count} vectors in the browser`)
})

t.test('in a browser it logs in, pages, keeps by ETag, follows, streams and stops', async (t) => {
  const pageOrigin = await servePage(t)

  const database = await createTestDatabase()
  const { app, origin } = await listenTestApp(database, { env: { CORS_ORIGINS: pageOrigin } })
  t.teardown(async () => {
    await app.close()
    await database.close()
  })
  const apiKey = await addCustomer(database, 'acme')
  await sql`insert into products (customer_id, id, name) select 'acme', 'p' || i, 'P' || i from generate_series(1, 5) i`.execute(
    database.operator,
  )

  const page = await openPage(t, pageOrigin)
  const conditional: (string | undefined)[] = []
  page.on('request', (request) => {
    const headers = request.headers()
    if (headers['if-none-match']) conditional.push(headers['cache-control'])
  })
  const seen = await page.evaluate(
    async ([url, key, module]) => {
      const { createClient } = await import(module as string)
      const client = createClient({ url, apiKey: key })
      const names: string[] = []
      for await (const { name } of client.all('products', { limit: 2 })) names.push(name)
      await client.request('/v1/products/p1')
      const { notModified } = await client.request('/v1/products/p1')
      const records = new Map<string, unknown>()
      const stopping = new AbortController()
      const store = {
        loadToken: async () => undefined,
        async replaceAll(state: AsyncIterable<{ resource: string; id: string; data: unknown }>) {
          for await (const { resource, id, data } of state) if (resource === 'products') records.set(id, data)
        },
        apply: async () => {},
      }
      const ended = await client
        .follow(store, { signal: stopping.signal, onCaughtUp: () => stopping.abort('enough') })
        .catch((reason: unknown) => reason)
      const streamed: unknown[] = []
      for await (const { data } of client.streamChanges()) {
        streamed.push(data)
        break
      }
      const refused = await client
        .list('products', { nonsense: 1 })
        .catch((error: { code: string }) => error.code)
      return { names, notModified, followed: records.size, ended, streamed, refused }
    },
    [origin, apiKey, `${pageOrigin}/index.js`],
  )
  t.same(seen, {
    names: ['P1', 'P2', 'P3', 'P4', 'P5'],
    notModified: true,
    followed: 5,
    ended: 'enough',
    streamed: [[]],
    refused: 'invalid_query',
  })
  t.same(conditional, ['max-age=1'])
})
