import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '..')
const folder = 'docs/decisions'
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const decisions = globSync('*.md', { cwd: join(root, folder) })
  .filter((name) => name !== 'README.md')
  .sort()

const maxWords = 150
const shape =
  /^# (?<number>\d{4})\. .+\n\nStatus: (?:accepted|superseded by \d{4}), \d{4}-\d{2}-\d{2}\n\n## Context\n\n[^#]+\n## Decision\n\n[^#]+\n## Consequence\n\n[^#]+$/

t.test('every decision has a number, a status, its three headings and at most 150 words', async (t) => {
  t.ok(decisions.length > 0)
  for (const name of decisions) {
    const text = read(`${folder}/${name}`)
    t.equal(shape.exec(text)?.groups?.number, name.slice(0, 4), `${name} has the shape of a decision`)
    t.ok(text.split(/\s+/).length <= maxWords + 1, `${name} has at most ${maxWords} words`)
  }
})

t.test('decision numbers are unique, and a superseded decision names its successor', async (t) => {
  const numbers = new Set(decisions.map((name) => /^(\d{4})-/.exec(name)?.[1]))
  t.equal(numbers.size, decisions.length)
  for (const name of decisions) {
    const successor = /^Status: superseded by (\d{4})/m.exec(read(`${folder}/${name}`))?.[1]
    if (successor !== undefined) t.ok(numbers.has(successor), `${name} names a decision that exists`)
  }
})

t.test('the index lists every decision once, with its title', async (t) => {
  const links = [...read(`${folder}/README.md`).matchAll(/^- \[(.+)\]\((.+)\)$/gm)]
  const titles = decisions.map((name) => [/^# (.+)$/m.exec(read(`${folder}/${name}`))?.[1], name])
  const byFile = (a: unknown[], b: unknown[]) => String(a[1]).localeCompare(String(b[1]))
  t.same(links.map(([, title, file]) => [title, file]).sort(byFile), titles)
})

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
