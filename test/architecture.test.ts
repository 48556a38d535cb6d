import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '..')
const files = globSync('{app,plugins,routes,schemas,bench,checks,test}/**/*.ts', {
  cwd: root,
  exclude: (path) => path.endsWith('node_modules'),
}).sort()

const importPattern =
  /(?:^|\n)\s*(?:import|export)\b[^'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g

type Import = { from: string; to: string }

const imports = files.flatMap((file): Import[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(importPattern)].map((match) => {
    const target = (match[1] ?? match[2]) as string
    return { from: file, to: target.startsWith('.') ? normalize(join(dirname(file), target)) : target }
  }),
)

/** Rooms in the order in which imports may go: each only to itself and to those after it. */
const roomOf = (file: string): string => {
  if (file === 'app/server.js' || file === 'app/serve.ts') return 'server'
  if (file === 'app/app.ts') return 'app'
  if (file === 'app/cli.ts' || file.startsWith('app/cli/')) return 'cli'
  return file.split('/')[0] === 'app' ? 'core' : (file.split('/')[0] as string)
}

const allowed: Record<string, string[]> = {
  server: ['server', 'app', 'core'],
  app: ['plugins', 'routes', 'core', 'schemas'],
  cli: ['cli', 'core', 'schemas'],
  routes: ['routes', 'plugins', 'core', 'schemas'],
  plugins: ['plugins', 'core', 'schemas'],
  core: ['core', 'schemas'],
  schemas: ['schemas'],
}

const isOurs = ({ to }: Import) => /^(app|plugins|routes|schemas|bench|checks|test)\//.test(to)
const sentence = ({ from, to }: Import) => `${from} → ${to}`

t.test('the check sees imports at all', async (t) => {
  t.ok(imports.length > 100)
  t.ok(imports.some(({ from, to }) => from === 'app/app.ts' && to === 'plugins/gate.ts'))
})

t.test('nobody imports more of node:http than its types: app/http/node-http.ts says why', async (t) => {
  const importsHttp = /(?:^|\n)import (?!type )[^'"]*['"]node:http['"]/
  const service = files.filter((file) => !/^(bench|checks|test)\//.test(file))
  t.same(
    service.filter((file) => importsHttp.test(readFileSync(join(root, file), 'utf8'))),
    [],
  )
})

t.test('imports go one way: server → app → plugins, routes → core → schemas', async (t) => {
  const wrong = imports
    .filter((each) => isOurs(each) && allowed[roomOf(each.from)])
    .filter(({ from, to }) => !allowed[roomOf(from)]?.includes(roomOf(to)))
  t.same(wrong.map(sentence), [])
})

t.test(
  'only tests and checks import bench/, checks/ and test/, and of the bench only what all who measure need',
  async (t) => {
    const wrong = imports.filter(
      ({ from, to }) =>
        /^(bench|checks|test)\//.test(to) &&
        from.split('/')[0] !== to.split('/')[0] &&
        !(from.startsWith('test/bench/') && to.startsWith('bench/')) &&
        !(from.startsWith('test/checks/') && to.startsWith('checks/')) &&
        !(from.startsWith('checks/') && to.startsWith('test/')) &&
        !(from.startsWith('test/') && /^bench\/lib\/(machine|as-started)\.ts$/.test(to)),
    )
    t.same(wrong.map(sentence), [])
  },
)

t.test('the core knows no framework', async (t) => {
  const wrong = imports.filter(({ from, to }) => roomOf(from) === 'core' && /^(fastify|@fastify\/)/.test(to))
  t.same(wrong.map(sentence), [])
})

t.test('schemas know zod and nothing else', async (t) => {
  const wrong = imports.filter(
    (each) => each.from.startsWith('schemas/') && !isOurs(each) && each.to !== 'zod',
  )
  t.same(wrong.map(sentence), [])
})

t.test('the query grammar is pure: no database, no clock, no framework', async (t) => {
  const wrong = imports.filter(
    ({ from, to }) =>
      from.startsWith('app/query/') &&
      !/^(app\/(query|resources|errors\.ts)|schemas\/|(node:crypto|lru-cache)$)/.test(to),
  )
  t.same(wrong.map(sentence), [])
  const clocks = files
    .filter((file) => file.startsWith('app/query/'))
    .filter((file) =>
      /Date\.now|new Date\(\)|performance\.now|process\./.test(readFileSync(join(root, file), 'utf8')),
    )
  t.same(clocks, [])
})

t.test('commands know their process by the shell they are given', async (t) => {
  const wrong = files
    .filter((file) => file.startsWith('app/cli/'))
    .filter((file) => /\b(process|console)\.\w/.test(readFileSync(join(root, file), 'utf8')))
  t.same(wrong, [])
})

t.test('a client is known by clientAddress, never by ip, which is a proxy’s', async (t) => {
  const wrong = files
    .filter((file) => /^(plugins|routes)\//.test(file))
    .filter((file) =>
      /\brequest\.ips?\b|\{[^}]*\bips?\b[^}]*\} = request\b/.test(readFileSync(join(root, file), 'utf8')),
    )
  t.same(wrong, [])
})

t.test('routes have no SQL, no Redis, no try/catch', async (t) => {
  const wrong = files
    .filter((file) => file.startsWith('routes/'))
    .filter((file) => /\bsql`|ioredis|\btry\s*\{/.test(readFileSync(join(root, file), 'utf8')))
  t.same(wrong, [])
})

t.test('only migrations and queries touch the database driver', async (t) => {
  const wrong = imports.filter(
    ({ from, to }) => to === 'pg' && from.startsWith('app/') && !from.startsWith('app/db/'),
  )
  t.same(wrong.map(sentence), [])
})
