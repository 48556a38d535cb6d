import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { edits } from '../../checks/freshness/edits.ts'
import { nemeses } from '../../checks/freshness/nemesis.ts'
import { plans } from '../../checks/freshness/plans.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/freshness.md'), 'utf8')

/** Returns the cells of each row of the table with this first cell. */
const readRows = (head: string): string[][] => {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`))
  const [, , ...rows] = lines.slice(start, lines.indexOf('', start))
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
const readName = (cell = '') => /^`([\w-]+)`/.exec(cell)?.[1]

t.test('docs/freshness.md lists each nemesis of the check, in its order', async (t) => {
  t.same(
    readRows('nemesis').map(([name]) => name),
    Object.values(nemeses).map(({ name }) => name),
  )
})

t.test('docs/freshness.md lists each planted fault with its nemesis', async (t) => {
  const listed = readRows('fault').map(([fault, nemesis]) => [readName(fault), nemesis])
  const planned = plans.map(({ fault, nemesis }) => [fault, nemeses[nemesis].name])
  t.same(listed, [...planned, ['foreign-standby', 'a fail-over']])
})

t.test('docs/freshness.md lists each condition of empty polls that the check removes', async (t) => {
  t.same(
    readRows('condition removed').map(([condition]) => readName(condition)),
    Object.keys(edits),
  )
})
