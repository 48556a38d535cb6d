import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { copyProject } from './copy.ts'
import { equivalents } from './equivalent.ts'
import { choose, listMutants, type Mutant } from './sample.ts'
import { listTests } from './tests.ts'
import { createTrial } from './trial.ts'

/**
 * `run.ts FOLDER [NUMBER]` changes one place of the folder's code at a time, in a copy of the project, and runs the
 * tests that execute this place until one fails. It prints the mutants that survive. Exits with 1 below 90 %.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Only mutants of these places: the beginning of FILE:LINE. */
    at: { type: 'string', multiple: true, default: [''] },
    /** Only these test files. */
    test: { type: 'string', multiple: true },
    /** A command that starts each test file, for example `nice`. */
    prefix: { type: 'string', default: '' },
  },
})
const [room = 'app/cache', number = '25'] = positionals
const prefix = values.prefix.split(' ').filter((word) => word !== '')
const leastKilled = 0.9
const longestShown = 70

const root = join(import.meta.dirname, '../..')
const say = (line: string) => process.stdout.write(`${line}\n`)

const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > longestShown ? `${line.slice(0, longestShown)}…` : line
}
const describe = ({ before, after }: Mutant) => `${shorten(before)} → ${shorten(after)}`
const isEquivalent = (mutant: Mutant) => {
  const code = mutant.text.slice(0, mutant.start).replace(/\s+/g, ' ').trim()
  return equivalents.some(
    ({ file, before, mutation }) =>
      file === mutant.file && mutation === describe(mutant) && code.endsWith(before),
  )
}

const all = listMutants(root, room)
const mutants = choose(all, Number(number)).filter(({ file, line }) =>
  values.at.some((place) => `${file}:${line}`.startsWith(place)),
)
const { folder, remove } = copyProject(root)
process.once('exit', remove)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(2))

const files = values.test ?? listTests(folder, room, new Set(mutants.map(({ file }) => file)))
say(`${room}: ${mutants.length} of ${all.length} mutants, ${files.length} test files`)
const tryMutant = createTrial({ folder, room, files, prefix })

const counts = { killed: 0, equivalent: 0, survived: 0 }
for (const mutant of mutants) {
  const place = `${mutant.file}:${mutant.line}  ${describe(mutant)}`
  if (isEquivalent(mutant)) {
    counts.equivalent += 1
    say(`equivalent  ${place}`)
    continue
  }
  const { killer, tried } = await tryMutant(mutant)
  counts[killer ? 'killed' : 'survived'] += 1
  say(killer ? `killed      ${place}  (${killer})` : `SURVIVED    ${place}  (${tried} tests)`)
}
const judged = counts.killed + counts.survived
const share = counts.killed / judged
say(
  `${room}: ${counts.killed} of ${judged} killed (${Math.round(100 * share)} %), ${counts.equivalent} equivalent`,
)
process.exitCode = share < leastKilled ? 1 : 0
