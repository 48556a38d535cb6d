import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '..')
const folder = 'docs/decisions'
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const decisions = globSync('*.md', { cwd: join(root, folder) })
  .filter((name) => name !== 'README.md')
  .sort()

t.test('every decision is linked from the code, and each link leads to a decision', async (t) => {
  const sources = globSync('{app,plugins,routes,schemas,clients,deploy}/**/*.{ts,js,cfg,sql}', {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  })
  const links = sources.flatMap((file) =>
    [...read(file).matchAll(/decisions?[ /](\d{4}[\w-]*(?:\.md)?)/g)].map(([, name]) => ({ file, name })),
  )
  const linked = new Set(links.map(({ name }) => name))
  t.same(
    decisions.filter((name) => !linked.has(name)),
    [],
    'decisions without a link from the code',
  )
  const broken = links.filter(({ name = '' }) => !decisions.includes(name))
  t.same(broken, [], 'links to no decision')
  const sections = read(`${folder}/README.md`).split(/^## /m).slice(1)
  for (const section of sections) {
    const room = section.split('\n', 1)[0] ?? ''
    const prefix = room === 'app/main' ? /^app\/(main\/|server\.js)/ : new RegExp(`^${room}(/|$)`)
    for (const [, name] of section.matchAll(/\]\(([\w-]+\.md)\)/g)) {
      const isHere = links.some((link) => link.name === name && prefix.test(link.file))
      t.ok(isHere, `${name} is linked from ${room}`)
    }
  }
})

t.test('every link between the documents leads to a file and to an existing heading', async (t) => {
  const documents = globSync(['*.md', '{docs,bench,checks,clients,k6}/**/*.md'], {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  })
  const listAnchors = (text: string) =>
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    )
  for (const file of documents) {
    for (const [, path = '', anchor] of read(file).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
      const target = path === '' ? file : join(dirname(file), path)
      t.ok(existsSync(join(root, target)), `${file} → ${target}`)
      if (anchor !== undefined)
        t.ok(listAnchors(read(target)).includes(anchor), `${file} → ${target}#${anchor}`)
    }
  }
})

t.test('ARCHITECTURE.md names only files that exist, and the line that decides freshness', async (t) => {
  const text = read('ARCHITECTURE.md')
  const folders = 'app|plugins|routes|schemas|test|checks|bench|clients|deploy|docs'
  const named = [...text.matchAll(new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g'))]
  t.ok(named.length > 150)
  t.same(
    named.map(([, path = '']) => path).filter((path) => !existsSync(join(root, path))),
    [],
  )
  const line = /the line `([^`]+)`/.exec(text)?.[1] ?? ''
  t.ok(line !== '' && read('app/cache/freshness.ts').includes(line))
})
