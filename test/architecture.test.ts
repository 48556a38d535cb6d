import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { z } from 'zod'
import { type Import, listImports, readSources } from '../checks/structure/graph.ts'
import { getRoom, isAbove, rooms } from '../checks/structure/rooms.ts'
import { schemaController } from '../plugins/schema-compilers.ts'

const root = join(import.meta.dirname, '..')
const sources = readSources(['app', 'plugins', 'routes', 'schemas', 'bench', 'test', 'checks'])
const files = sources.map(({ path }) => path)
const imports = sources.flatMap(listImports)
const getText = (path: string) => readFileSync(join(root, path), 'utf8')
const isInternal = ({ to }: Import) => /^(app|plugins|routes|schemas)\//.test(to)
const sentence = ({ from, to }: Import) => `${from} → ${to}`
const isService = (path: string) => getRoom(path) !== undefined

t.test('the check finds imports', async (t) => {
  t.ok(imports.length > 100)
  t.ok(imports.some(({ from, to }) => from === 'app/app.ts' && to === 'plugins/gate.ts'))
})

t.test('a room imports only from rooms below it', async (t) => {
  const wrong = imports.filter(({ from, to }) => {
    const [upper, lower] = [getRoom(from), getRoom(to)]
    return upper && lower && upper !== lower && !isAbove(upper, lower)
  })
  t.same(wrong.map(sentence), [])
  const homeless = files.filter((path) => path.startsWith('app/') && !isService(path))
  t.same(homeless, [], 'every file of app/ is in a room')
})

t.test('no files of the service import each other in a circle, not even for types', async (t) => {
  const targets = Map.groupBy(imports.filter(isInternal), ({ from }) => from)
  const reach = (from: string, seen = new Set<string>()): Set<string> => {
    for (const { to } of targets.get(from) ?? []) if (!seen.has(to)) reach(to, seen.add(to))
    return seen
  }
  const inCircles = files.filter((path) => isService(path) && reach(path).has(path))
  t.same(inCircles, [])
})

t.test('ARCHITECTURE.md lists the rooms in their order, each in a line', async (t) => {
  const table = getText('ARCHITECTURE.md').split('## The rooms')[1] ?? ''
  const named = [...table.matchAll(/^\| `(?:app\/)?([\w-]+)/gm)].map(([, name]) => name)
  const listed = rooms.filter((room) => room !== 'main')
  t.same(named, listed)
})

t.test('code reads the client from clientAddress, never from ip, which is a proxy’s', async (t) => {
  const wrong = files
    .filter((file) => /^(plugins|routes)\//.test(file))
    .filter((file) => /\brequest\.ips?\b|\{[^}]*\bips?\b[^}]*\} = request\b/.test(getText(file)))
  t.same(wrong, [])
})

t.test('a plugin declares the plugins whose decorators it uses', async (t) => {
  const plugins = files
    .filter((path) => path.startsWith('plugins/'))
    .map(getText)
    .flatMap((text) => {
      const name = /\bname: '([\w-]+)'/.exec(text)?.[1]
      const declared = /\bdependencies: \[([^\]]*)\]/.exec(text)?.[1] ?? ''
      return name ? [{ name, text, declared }] : []
    })
  const owners = plugins.flatMap(({ name, text }) =>
    [...text.matchAll(/\bdecorate(?:Request|Reply)?\(\s*'(\w+)'/g)].map(([, decorator]) => ({
      name,
      decorator,
    })),
  )
  t.ok(owners.length > 20)
  const undeclared = plugins.flatMap(({ name, text, declared }) =>
    owners
      .filter((owner) => owner.name !== name && !declared.includes(`'${owner.name}'`))
      .filter(({ decorator }) =>
        // `?.` marks an optional plugin.
        new RegExp(
          `\\b(?:app|request|reply)\\.${decorator}\\b(?!\\?)|\\b${decorator}\\b[^={}]*\\} = (?:app|request)\\b`,
        ).test(text),
      )
      .map((owner) => `${name} uses ${owner.decorator} of ${owner.name}`),
  )
  t.same(undeclared, [])
})

t.test('each exported type has a unique name', async (t) => {
  const owners = Map.groupBy(
    files.filter(isService).flatMap((path) =>
      [...getText(path).matchAll(/^export (?:type|interface|class) (\w+)/gm)].map(([, name]) => ({
        name,
        path,
      })),
    ),
    ({ name }) => name,
  )
  t.ok(owners.size > 100)
  const shared = [...owners].filter(([, places]) => places.length > 1)
  t.same(
    shared.map(([name, places]) => `${name}: ${places.map(({ path }) => path).join(', ')}`),
    [],
  )
})

t.test('the length of a day and the type of JSON are written once', async (t) => {
  const listOwners = (text: string) => files.filter((file) => isService(file) && getText(file).includes(text))
  t.same(listOwners('86_400_000'), ['app/config/units.ts'])
  t.same(listOwners("'application/json'"), ['app/http/formats.ts'])
})

t.test('the bundled PostgreSQL imports no other file of the app', async (t) => {
  const isEmbedded = (path: string) => path.startsWith('app/local/embedded')
  const wrong = imports.filter((each) => isEmbedded(each.from) && isInternal(each) && !isEmbedded(each.to))
  t.same(wrong.map(sentence), [])
})

t.test('schemas import only zod', async (t) => {
  const wrong = imports.filter(
    (each) => each.from.startsWith('schemas/') && !isInternal(each) && each.to !== 'zod',
  )
  t.same(wrong.map(sentence), [])
})

t.test('the query grammar is pure: no database, no clock, no framework', async (t) => {
  const wrong = imports.filter(
    ({ from, to }) =>
      from.startsWith('app/records/query/') &&
      !/^(app\/(records\/(query|resources)\/|http\/(compact|formats|pairs)|config\/(signed|units)|errors)|schemas\/|(node:crypto|lru-cache)$)/.test(
        to,
      ),
  )
  t.same(wrong.map(sentence), [])
  const clocks = files
    .filter((file) => file.startsWith('app/records/query/'))
    .filter((file) => /Date\.now|new Date\(\)|performance\.now|process\./.test(getText(file)))
  t.same(clocks, [])
})

t.test('commands use the given shell instead of process and console', async (t) => {
  const wrong = files
    .filter((file) => file.startsWith('app/command-line/'))
    .filter((file) => /\b(process|console)\.\w/.test(getText(file)))
  t.same(wrong, [])
})

t.test('routes contain no SQL, no Redis and no try/catch', async (t) => {
  const wrong = files
    .filter((file) => file.startsWith('routes/'))
    .filter((file) => /\bsql`|ioredis|\btry\s*\{/.test(getText(file)))
  t.same(wrong, [])
})

t.test('only modules that hold connections or write SQL import the database driver', async (t) => {
  const wrong = imports.filter(
    ({ from, to }) =>
      to === 'pg' &&
      from.startsWith('app/') &&
      !/^app\/(db|wire|export|local|cache\/connection|records\/sql\/literal)\b/.test(from),
  )
  t.same(wrong.map(sentence), [])
})

t.test('one compiler validates every route, and it validates', async (t) => {
  const named = files.filter(isService).filter((file) => getText(file).includes('validatorCompiler'))
  t.same(named, ['plugins/schema-compilers.ts'])
  const compile = schemaController.compilersFactory.buildValidator() as unknown as (route: {
    schema: unknown
  }) => (value: unknown) => { value?: unknown; error?: unknown }
  t.ok(compile({ schema: z.strictObject({}) })(null).error)
  t.same(compile({ schema: Number })('1'), { value: 1 })
})

t.test('in app/, only app.ts and main/ import Fastify', async (t) => {
  const wrong = imports.filter(
    ({ from, to }) =>
      from.startsWith('app/') && !/^app\/(app\.ts|main\/)/.test(from) && /^(fastify|@fastify\/)/.test(to),
  )
  t.same(wrong.map(sentence), [])
})

t.test('the service imports no bench, no check and no test', async (t) => {
  const wrong = imports.filter(({ from, to }) => isService(from) && /^(bench|test|checks)\//.test(to))
  t.same(wrong.map(sentence), [])
})

const startsProcesses = /^test\/(service|haproxy|nginx|site\/browser)\.ts$/

t.test('tests of npm test start no process and measure no time', async (t) => {
  const importsBy = Map.groupBy(imports, ({ from }) => from)
  const reach = (path: string, seen = new Set([path])): Set<string> => {
    for (const { to, isType } of importsBy.get(path) ?? [])
      if (to.startsWith('test/') && !isType && !seen.has(to)) reach(to, seen.add(to))
    return seen
  }
  const wrong = files
    .filter((path) => /^test\/.*\.test\.ts$/.test(path))
    .flatMap((path) => [...reach(path)].map((to) => ({ path, to })))
    .filter(
      ({ to }) =>
        startsProcesses.test(to) ||
        (!/^test\/(servers|architecture\.test)\.ts$/.test(to) &&
          /process\.execPath|\b(testRedis|fork)\(/.test(getText(to))),
    )
  t.same(
    wrong.map(({ path, to }) => `${path} → ${to}`),
    [],
    'name such a file *.process.ts',
  )
})
