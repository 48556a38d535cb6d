import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startInTemp } from '../../test/servers.ts'
import { copyProject } from './copy.ts'
import { equivalents } from './equivalent.ts'
import { choose, listMutants, type Mutant } from './sample.ts'
import { listOwnTests, listTests } from './tests.ts'
import { createTrial } from './trial.ts'

/**
 * `run.ts FOLDER… [NUMBER]` changes one place of a folder's code at a time, in a copy of the project, and runs the
 * tests that execute this place until one fails. It prints the mutants that survive, and a table. Exits with 1 if a
 * folder has less than 90 % killed, or more than 3 % of all mutants are called equivalent. Exits with 75 if the machine
 * was too busy to judge a mutant.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Only mutants of these places: the beginning of FILE:LINE. */
    at: { type: 'string', multiple: true, default: [''] },
    /** Only these test files. */
    test: { type: 'string', multiple: true },
    /** Without tests of other rooms that do not import the file. They might kill a survivor. */
    quick: { type: 'boolean', default: false },
    /** A command that starts each test file, for example `nice`. */
    prefix: { type: 'string', default: '' },
  },
})
const number = Number(positionals.find((word) => /^\d+$/.test(word)) ?? '25')
const rooms = positionals.filter((word) => !/^\d+$/.test(word)).map((word) => word.replace(/\/$/, ''))
if (rooms.length === 0) rooms.push('app/cache')
const prefix = values.prefix.split(' ').filter((word) => word !== '')
const leastKilled = 0.9
const mostEquivalent = 0.03
const longestShown = 70
/** EX_TEMPFAIL of sysexits.h. */
const notJudged = 75

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

const { folder, remove } = copyProject(root)
process.once('exit', remove)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(2))
// A test that started PostgreSQL would pass its limit of processor time on to it.
const postgres = await startInTemp(String(process.pid))
const { tryMutant, listFailing } = createTrial({ folder, prefix })

const ends = ['killed', 'survived', 'equivalent', 'not judged'] as const
type End = (typeof ends)[number]
type Row = { room: string; counts: Record<End, number>; endless: number }

const survivors: string[] = []
const tryRoom = async (room: string): Promise<Row> => {
  const row: Row = { room, counts: { killed: 0, survived: 0, equivalent: 0, 'not judged': 0 }, endless: 0 }
  const all = listMutants(folder, room)
  const mutants = choose(room, all, number).filter(({ file, line }) =>
    values.at.some((place) => `${file}:${line}`.startsWith(place)),
  )
  const mutated = new Set(mutants.map(({ file }) => file))
  const files = values.test ?? listTests(folder, room, mutated)
  const tests = { files, own: new Set(listOwnTests(folder, room)), isQuick: values.quick }
  say(`${room}: ${mutants.length} of ${all.length} mutants, ${files.length} test files`)
  const note = (end: End, line: string) => {
    row.counts[end] += 1
    say(`${end.padEnd(10)}  ${line}`)
    if (end === 'survived' || end === 'not judged') survivors.push(`${end.padEnd(10)}  ${line}`)
  }
  for (const mutant of mutants) {
    const place = `${mutant.file}:${mutant.line}  ${describe(mutant)}`
    if (isEquivalent(mutant)) {
      note('equivalent', place)
      continue
    }
    const { end, how, test, tried } = await tryMutant(mutant, tests)
    if (end === 'killed' && how !== 'failed') row.endless += 1
    note(end, `${place}  (${test ? `${test} ${how}` : `${tried} tests`})`)
  }
  return row
}

const rows: Row[] = []
for (const room of rooms) rows.push(await tryRoom(room))
await postgres.release()

const sum = (count: (row: Row) => number) => rows.reduce((total, row) => total + count(row), 0)
const total: Row = {
  room: 'all',
  counts: {
    killed: sum(({ counts }) => counts.killed),
    survived: sum(({ counts }) => counts.survived),
    equivalent: sum(({ counts }) => counts.equivalent),
    'not judged': sum((row) => row.counts['not judged']),
  },
  endless: sum(({ endless }) => endless),
}
const getShare = ({ counts: { killed, survived } }: Row) => killed / (killed + survived || 1)
const getTried = ({ counts }: Row) => ends.reduce((tried, end) => tried + counts[end], 0)
/** A sample of 25 may have one, too. */
const getMostEquivalent = (row: Row) => Math.max(1, mostEquivalent * getTried(row))
const formatShare = (share: number) => `${(100 * share).toFixed(1)} %`

say('')
for (const line of listFailing()) say(`fails without a mutation: ${line}`)
for (const line of survivors) say(line)
say('')
const head = [
  'folder',
  'killed',
  'endless or hung',
  'survived',
  'not judged',
  'equivalent',
  'killed of judged',
]
say(`| ${head.join(' | ')} |`)
say(`|${head.map(() => '---').join('|')}|`)
for (const row of rows.length > 1 ? [...rows, total] : rows) {
  const { room, counts, endless } = row
  const cells = [counts.killed, endless, counts.survived, counts['not judged'], counts.equivalent]
  say(`| ${[room, ...cells, formatShare(getShare(row))].join(' | ')} |`)
}
const isBad =
  rows.some((row) => getShare(row) < leastKilled) || total.counts.equivalent > getMostEquivalent(total)
process.exitCode = isBad ? 1 : total.counts['not judged'] > 0 ? notJudged : 0
