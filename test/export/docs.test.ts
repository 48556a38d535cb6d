import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { loadExampleData } from '../../app/demo/example-data.ts'
import { csvType } from '../../app/export/csv.ts'
import { resourceNames } from '../../app/resources/index.ts'
import { createTestDatabase, listenTestApp } from '../helper.ts'
import { parseCells } from './csv.ts'

/** The documents say what is: examples run, and every list is described with its types. */

const run = promisify(execFile)
const database = await createTestDatabase()
await loadExampleData(database.operator, new Date().toISOString().slice(0, 10))
const { app, origin } = await listenTestApp(database)
const folder = mkdtempSync(join(tmpdir(), 'certdata-docs-'))
t.teardown(async () => {
  await app.close()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

t.test('the examples of docs/exports.md run as they stand', async (t) => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/exports.md'), 'utf8')
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block as string)
  const outputs: string[] = []
  for (const block of blocks) {
    const script = block.replaceAll('http://localhost:3000', origin)
    outputs.push((await run('sh', ['-ec', script], { cwd: folder })).stdout)
  }
  t.equal(outputs.length, 2)
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const lines = read('products.ndjson').trimEnd().split('\n')
  t.ok(lines.length > 5 && lines.every((line) => JSON.parse(line).id))
  const day = new Date().toISOString().slice(0, 10)
  const [header, ...rows] = parseCells(read(`certificates-${day}.csv`))
  t.ok(rows.length > 0)
  t.ok(rows.every((row) => row[header?.indexOf('validity') ?? -1] === 'valid'))
  const [chosen, ...two] = parseCells(outputs[1] as string)
  t.same(chosen, ['id', 'number', 'days_remaining', 'standards'])
  t.equal(two.length, 2)
})

t.test('the document describes every list with its types', async (t) => {
  const { paths } = (await app.inject('/openapi.json')).json()
  for (const name of resourceNames) {
    const { responses, parameters } = paths[`/v1/${name}`].get
    t.same(Object.keys(responses[200].content), ['application/json', 'application/x-ndjson', 'text/csv'])
    t.ok(responses[200].headers['Content-Disposition'])
    t.ok(responses[406] && responses[429] && responses[503])
    const format = parameters.find((each: { name: string }) => each.name === 'format')
    t.same(format.schema.enum, ['json', 'ndjson', 'csv'])
  }
  t.match(readFileSync(join(import.meta.dirname, '../../docs/exports.md'), 'utf8'), csvType)
})
