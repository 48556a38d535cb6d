import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const folder = join(import.meta.dirname, '../docs/decisions')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const decisions = globSync('*.md', { cwd: folder })
  .filter((name) => name !== 'README.md')
  .sort()

const maxWords = 150
const shape =
  /^# (?<number>\d{4})\. .+\n\nStatus: (?:accepted|superseded by \d{4}), \d{4}-\d{2}-\d{2}\n\n## Context\n\n[^#]+\n## Decision\n\n[^#]+\n## Consequence\n\n[^#]+$/

t.test('every decision has a number, a status, its three headings and at most 150 words', async (t) => {
  t.ok(decisions.length > 0)
  for (const name of decisions) {
    const text = read(name)
    t.equal(shape.exec(text)?.groups?.number, name.slice(0, 4), `${name} has the shape of a decision`)
    t.ok(text.split(/\s+/).length <= maxWords + 1, `${name} has at most ${maxWords} words`)
  }
})

t.test('decision numbers are unique, and a superseded decision names its successor', async (t) => {
  const numbers = new Set(decisions.map((name) => /^(\d{4})-/.exec(name)?.[1]))
  t.equal(numbers.size, decisions.length)
  for (const name of decisions) {
    const successor = /^Status: superseded by (\d{4})/m.exec(read(name))?.[1]
    if (successor !== undefined) t.ok(numbers.has(successor), `${name} names a decision that exists`)
  }
})

t.test('the index lists every decision once, with its title', async (t) => {
  const links = [...read('README.md').matchAll(/^- \[(.+)\]\((.+)\)$/gm)]
  const titles = decisions.map((name) => [/^# (.+)$/m.exec(read(name))?.[1], name])
  const byFile = (a: unknown[], b: unknown[]) => String(a[1]).localeCompare(String(b[1]))
  t.same(links.map(([, title, file]) => [title, file]).sort(byFile), titles)
})
