import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { installClient, runClientSuite } from '../../clients/tools/package.ts'
import { startService } from '../../clients/tools/service.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'certdata-package-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
await installClient(folder)
const installed = join(folder, 'node_modules/certdata-client')

t.test('the package contains plain modules with their types, the command and the README', async (t) => {
  const files = globSync('**/*.*', { cwd: installed })
  const others = files.filter((name) => !/^dist\/[a-z-]+(\.js|\.d\.ts)$/.test(name))
  t.same(others.sort(), ['README.md', 'bin/certdata-client.js', 'package.json'])
  const modules = files.filter((name) => /^dist.*\.js$/.test(name))
  t.ok(modules.length > 5 && modules.includes('dist/index.js'))
  for (const name of modules)
    t.ok(existsSync(join(installed, name.replace('.js', '.d.ts'))), `${name} has types`)
  const imported = modules.flatMap((name) =>
    [...readFileSync(join(installed, name), 'utf8').matchAll(/(?:from|import) '([^']+)'/g)].map(
      ([, from]) => from,
    ),
  )
  t.same(
    imported.filter((name) => !/^\.\/[a-z-]+\.js$/.test(name as string)),
    [],
    'no dependencies',
  )
})

t.test('the package is private and has the licence of the project', async (t) => {
  const { license, private: isPrivate } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.equal(license, project.license ?? 'UNLICENSED', "the project's licence")
  t.equal(isPrivate, true)
})

/** Compiles a program that uses the package. Resolves to the compiler's output. */
const compile = async (code: string, moduleKind: 'nodenext' | 'esnext'): Promise<string> => {
  writeFileSync(join(folder, 'use.ts'), code)
  const resolution = moduleKind === 'esnext' ? 'bundler' : moduleKind
  const compilerOptions = {
    module: moduleKind,
    moduleResolution: resolution,
    target: 'es2022',
    strict: true,
    noEmit: true,
    lib: ['es2023', 'dom', 'dom.asynciterable'],
    types: [],
    skipLibCheck: false,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }))
  const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]
  // The test runner's NODE_OPTIONS load it into every Node process.
  const bare = ['-u', 'NODE_OPTIONS', process.execPath]
  return promisify(execFile)('env', [...bare, ...tsc]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
}

t.test('another package compiles with the types, which check filters and fields', async (t) => {
  const use = (query: string, member: string) => `
    import { createClient, ProblemError } from 'certdata-client'
    const client = createClient({ url: 'http://localhost', token: 'x' })
    for await (const record of client.export('certificates', ${query})) console.log(record.${member})
    console.log(ProblemError)\n`
  for (const kind of ['nodenext', 'esnext'] as const) {
    t.equal(await compile(use("{ expiring: true, fields: ['number'] }", 'number'), kind), '', kind)
  }
  t.match(await compile(use('{ nmae: 1 }', 'number'), 'nodenext'), /nmae/)
  t.match(await compile(use("{ fields: ['number'] }", 'title'), 'nodenext'), /title/)
})

t.test('the client suite with all vectors passes against a running service', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  await service.certdata('import', join(root, 'examples/records.ndjson'), '--customer', 'local')
  const { passed, failed, output } = await runClientSuite(process.execPath, folder, service)
  t.equal(failed, 0, 'no failures', { output })
  const counts = JSON.parse(readFileSync(join(root, 'clients/vectors/counts.json'), 'utf8')) as object
  const vectors = Object.values(counts).reduce((sum: number, count: number) => sum + count, 0)
  t.ok(passed > vectors, `${passed} passed, ${vectors} vectors`)
})
