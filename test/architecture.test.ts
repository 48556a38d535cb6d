import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { z } from 'zod'
import type { Feature } from '../app/feature.ts'
import { features } from '../app/features.ts'
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
  const text = "import './b.ts'\nimport type { C } from './c.ts'\n"
  const found = listImports({ path: 'app/a.ts', text, lines: 2 })
  t.same(
    found.map(({ to, isType }) => [to, isType]),
    [
      ['app/b.ts', false],
      ['app/c.ts', true],
    ],
  )
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

t.test('no files import each other in a circle, not even for types', async (t) => {
  const folders = ['app', 'plugins', 'routes', 'schemas', 'bench', 'test', 'checks', 'clients', 'k6']
  const everywhere = readSources(folders, true)
  const targets = Map.groupBy(everywhere.flatMap(listImports), ({ from }) => from)
  for (const folder of folders)
    t.ok(
      [...targets.keys()].some((from) => from.startsWith(`${folder}/`)),
      `${folder} has imports`,
    )
  const reach = (from: string, seen = new Set<string>()): Set<string> => {
    for (const { to } of targets.get(from) ?? []) if (!seen.has(to)) reach(to, seen.add(to))
    return seen
  }
  const inCircles = everywhere.map(({ path }) => path).filter((path) => reach(path).has(path))
  t.same(inCircles, [])
})

const readFeatureName = (path: string) => /^(?:app\/features|test\/features)\/([\w-]+)\//.exec(path)?.[1]
/** The feature of a file in one of the four places. `undefined` for the kernel. */
const findFeature = (path: string): string | undefined => {
  const [, inRoutesOrSchemas = ''] = /^(?:routes|schemas)\/([\w-]+)\.ts$/.exec(path) ?? []
  const isFeature = features.some(({ name }) => name === inRoutesOrSchemas)
  return readFeatureName(path) ?? (isFeature ? inRoutesOrSchemas : undefined)
}
const featureImports = imports.flatMap((each) => {
  const [from, to] = [findFeature(each.from), findFeature(each.to)]
  return to === undefined || from === to ? [] : [{ ...each, feature: from, other: to }]
})

t.test('the kernel and its tests import no feature', async (t) => {
  const lists = ['app/features.ts', 'routes/index.ts']
  // The clients have methods for features, and these programs judge the whole service.
  const isOfWhole = /^(test\/clients|checks|bench)\//
  const wrong = featureImports.filter(
    ({ from, feature }) => feature === undefined && !lists.includes(from) && !isOfWhole.test(from),
  )
  t.same(wrong.map(sentence), [])
  for (const list of lists) {
    const listed = featureImports.filter(({ from }) => from === list).map(({ other }) => other)
    const isExpected = ({ name }: Feature) =>
      list === 'app/features.ts' || files.includes(`routes/${name}.ts`)
    t.same(
      listed.sort(),
      features
        .filter(isExpected)
        .map(({ name }) => name)
        .sort(),
      `one line in ${list}`,
    )
  }
})

/** Returns the addresses that the file of a feature's routes contains. A row's `path` is below `/v1`. */
const listAddresses = (name: string): string[] => {
  const text = files.includes(`routes/${name}.ts`) ? getText(`routes/${name}.ts`) : ''
  return [...text.matchAll(/\b(path|url): '([^'*]+)'/g)].map(([, kind, address = '']) =>
    kind === 'path' ? `/v1${address}` : address,
  )
}

t.test('tests and promises of the kernel name no address of a feature', async (t) => {
  const addresses = features.flatMap(({ name, pages = [] }) => [
    ...listAddresses(name),
    ...pages.map(({ path }) => path),
  ])
  t.ok(features.length === 0 || addresses.some((address) => address.startsWith('/v1/')))
  const promises = globSync('app/features/verify/**/*.{json,ts}', { cwd: root })
  // The clients' tests run the examples of all guides.
  const kernelTests = files.filter((path) => /^test\/(?!features|clients)/.test(path))
  // A name of a member, such as "/status": "ready", is a JSON pointer.
  const wrong = [...promises, ...kernelTests].filter((path) =>
    addresses.some((address) => new RegExp(`['"\`]${address}['"\`?](?!:)`).test(getText(path))),
  )
  t.same(wrong, [])
})

t.test('a feature imports the features that it needs', async (t) => {
  const wrong = featureImports.filter(({ feature, other }) => {
    const known = features.find(({ name }) => name === feature)
    return known !== undefined && !known.needs?.includes(other)
  })
  t.same(wrong.map(sentence), [])
  const fromList = imports.filter(({ from, to }) => readFeatureName(from) && to === 'app/features.ts')
  const notInTests = fromList.filter(({ from }) => !from.startsWith('test/'))
  t.same(notInTests.map(sentence), [], 'no feature reads the list')
  for (const [index, { name, needs = [] }] of features.entries()) {
    const before = features.slice(0, index).map((each) => each.name)
    t.ok(
      needs.every((need) => before.includes(need)),
      `${name} is listed after the features that it needs`,
    )
  }
})

t.test('each feature has a folder and tests', async (t) => {
  const folders = readdirSync(join(root, 'app/features')).sort()
  t.same(folders, features.map(({ name }) => name).sort(), 'a folder for each feature of the list')
  t.same(readdirSync(join(root, 'test/features')).sort(), folders, 'a folder of tests for each')
})

t.test('feature.ts loads nothing but the data of its feature', async (t) => {
  for (const { name } of features)
    t.notMatch(getText(`app/features/${name}/feature.ts`), /^import (?!type\b)/m, name)
})

/** Small files with one importer, without tests of their own. The reason says what each would mix with in its importer. */
const smallFiles: Readonly<Record<string, string>> = {
  'app/command-line/config.ts': 'one file for each command',
  'app/features/account/page.ts': 'one file for each page',
  'app/features/verify/long-addresses.ts': 'a file of promises, like its neighbours',
  'app/main/redis-stores.ts': 'loaded only with REDIS_URL',
  'app/main/supervise.ts': 'loaded only with several workers',
  'app/main/worker.ts': 'the side of the worker, loaded only in workers',
  'app/observe/token-check.ts': 'a comparison in constant time, which routes do not contain',
  'app/site/api-catalog.ts': 'the document of RFC 9727',
  'app/site/llms-txt.ts': 'the document of llms.txt',
  'app/site/missing-page.ts': 'one file for each page',
  'app/site/security-txt.ts': 'the document of RFC 9116',
  'app/wire/gather-writes.ts': 'private API of ioredis, which only app/wire may use',
}
/** Features import these, too. Without a feature, one importer is left. */
const sharedByFeatures = [
  'app/command-line/source.ts',
  'app/config/signed.ts',
  'app/export/begun-stream.ts',
  'app/http/require-framing.ts',
  'app/http/same-origin.ts',
  'app/identity/jwk.ts',
  'app/local/load-once.ts',
  'app/site/paths.ts',
]
const mostSmallLines = 30
/** Files that a frame loads by name. */
const framed = /^app\/features\/[\w-]+\/(?:feature|tasks|metrics|openapi|commands)\.ts$/

t.test('a small helper is in the file that uses it, or has a reason', async (t) => {
  const isImportedOnce = (path: string) => {
    const importers = new Set(imports.filter(({ to }) => to === path).map(({ from }) => from))
    return importers.size === 1 && [...importers].every(isService)
  }
  const small = sources
    .filter(({ path, lines }) => path.startsWith('app/') && lines <= mostSmallLines && !framed.test(path))
    .map(({ path }) => path)
    .filter(isImportedOnce)
  const isOfRemoved = (path: string) => path.startsWith('app/features/') && !files.includes(path)
  t.same(
    small.filter((path) => !sharedByFeatures.includes(path)),
    Object.keys(smallFiles).filter((path) => !isOfRemoved(path)),
  )
})

t.test('ARCHITECTURE.md lists the rooms in their order, each in a line', async (t) => {
  const table = /## The rooms\n(.*?)\n## /s.exec(getText('ARCHITECTURE.md'))?.[1] ?? ''
  const named = [...table.matchAll(/^\| `(?:app\/)?(?:records\/)?([\w-]+)/gm)].map(([, name]) => name)
  const listed = rooms.filter((room) => room !== 'main')
  t.same(named, listed)
})

const architecture = getText('ARCHITECTURE.md')
/** Returns the cells of the rows of ARCHITECTURE.md that begin with a feature, after its name. */
const listRows = (name: string): string[][] =>
  architecture
    .split('\n')
    .filter((line) => line.startsWith(`| \`${name}\` |`))
    .map((line) => line.split('|').slice(2, -1))

t.test('ARCHITECTURE.md lists the features, with their needs and tables', async (t) => {
  const table = /\n\| feature \| purpose .*?\n\n/s.exec(architecture)?.[0] ?? ''
  const named = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name)
  t.same(
    named,
    features.map(({ name }) => name),
  )
  const listQuoted = (cell = '') => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name)
  for (const { name, needs = [] } of features) {
    const [, needsCell, tablesCell] = listRows(name)[0] ?? []
    const sql = globSync(`app/features/${name}/*.sql`, { cwd: root }).map(getText).join('\n')
    const tables = [...sql.matchAll(/^create table (\w+)/gm)].map(([, created]) => created)
    t.same(listQuoted(needsCell), needs, `needs of ${name}`)
    t.same(listQuoted(tablesCell), tables, `tables of ${name}`)
  }
})

t.test('ARCHITECTURE.md lists the files outside of a feature that name its files', async (t) => {
  const outside = globSync(
    [
      '.ci/*',
      '.dockerignore',
      '.gitignore',
      'Dockerfile',
      'biome.json',
      '{bench,checks,clients}/**/*.{ts,js,py}',
    ],
    { cwd: root, exclude: (path) => path.includes('node_modules') },
  )
  t.ok(outside.length > 50)
  const isListed = (row: string, path: string): boolean =>
    path !== '.' &&
    (row.includes(`\`${path}\``) || row.includes(`\`${path}/\``) || isListed(row, dirname(path)))
  for (const { name, guides = [] } of features) {
    const row = listRows(name)[1]?.join() ?? ''
    const users = outside.filter((path) => getText(path).includes(`features/${name}/`))
    const documents = guides.map((guide) => `docs/${guide.name}.md`)
    t.same(
      [...users, ...documents].filter((path) => !isListed(row, path)),
      [],
      name,
    )
  }
})

t.test('ARCHITECTURE.md lists the tasks of features', async (t) => {
  const tables = architecture.slice(architecture.indexOf('## Background work'))
  for (const { name, tasks } of features)
    if (tasks) t.ok(tables.includes(`\`app/features/${name}/tasks.ts\``), name)
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

type NamedFunction = { path: string; name: string; result: string | undefined }

const listFunctions = (path: string): NamedFunction[] => {
  const text = getText(path)
  const arrows = [
    ...text.matchAll(/\bconst (\w+) =\s*(?:async )?(?:<[^=]*?>)?\([^;]*?\)(?::\s*([^=;]+?))? =>/g),
  ]
  const methods = [...text.matchAll(/^ +(?:async )?(\w+)\([^)]*\)(?:: ([^={;]+?)(?: \{)?| \{)$/gm)]
  return [...arrows, ...methods].map(([, name = '', result]) => ({ path, name, result }))
}

const describe = ({ path, name, result = '' }: NamedFunction) => `${path}: ${name} ${result}`.trim()

t.test('each verb in the name of a function has one contract', async (t) => {
  const functions = files.filter(isService).flatMap(listFunctions)
  t.ok(functions.length > 1_000)
  const named = (verb: RegExp) => functions.filter(({ name }) => verb.test(name))
  t.same(named(/^refuse(?![a-z])/).map(describe), [])
  const required = named(/^require[A-Z]/)
  t.ok(required.length > 10)
  const wrong = [
    ...required.filter(({ result = '' }) => /Error|\bundefined\b|\bFault/.test(result)),
    ...named(/^check[A-Z]/).filter(({ result }) => result === 'void' || result === 'Promise<void>'),
    ...named(/^throw[A-Z]/).filter(({ result }) => result !== 'never'),
  ]
  t.same(wrong.map(describe), [], 'see "Names of functions" in ARCHITECTURE.md')
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

// The other files of lists read from the cache.
const isGrammar = (path: string) => /^app\/(records\/query\/|lists\/(?!(lists|answer)\.ts))/.test(path)

t.test('the query grammar is pure: no database, no clock, no framework', async (t) => {
  const wrong = imports.filter(
    ({ from, to }) =>
      isGrammar(from) &&
      !/^(app\/(records\/(query|resources)\/|lists\/|http\/(compact|formats|pairs)|config\/(signed|units)|errors)|schemas\/|(node:crypto|lru-cache)$)/.test(
        to,
      ),
  )
  t.same(wrong.map(sentence), [])
  const clocks = files
    .filter(isGrammar)
    .filter((file) => /Date\.now|new Date\(\)|performance\.now|process\./.test(getText(file)))
  t.same(clocks, [])
})

t.test('commands use the given shell instead of process and console', async (t) => {
  const wrong = files
    .filter((file) => /^app\/(command-line|features)\/.*\.ts$/.test(file))
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
