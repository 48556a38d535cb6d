import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// Counts words that make English prose hard to read, per thousand words, in comments, test names and
// documents, and functions named `…Of`. Exits with 1 if a rate is above its limit, and prints the worst
// sentences.

const habits: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:undefined|null|throws|rejects|refuses|false|true) where\b/g, '"if" or "when"'],
  [/\bwhere (?:there|it|nothing|none|no|one|the|an?|that|they|each|any|all)\b/g, '"if" or "when"'],
  [/\bwhat\b(?!')/g, 'the noun: "the rows", "the answer"'],
  [/\b(?:nobody|somebody|whoever|anybody|whatever|whichever)\b/g, 'the actor: "no client"'],
  [/\b(?:besides?|anew|meanwhile|former|formerly)\b/g, '"next to", "again", "previous"'],
  [/\bat once\b/g, '"immediately" or "at the same time"'],
  [/\b(?:those|that|the ones?|such) (?:of|that|which|who|whose)\b/g, 'the noun again'],
  [
    /\b(?:tells?|told|hears?|knows?|asks?|asked|says?|said|looks?) (?:of|by|for|that|what|how|so|it|them|us|whether|the|an?|which|who|nothing|where)\b/g,
    '"returns", "reports", "requests", "contains"',
  ],
  [
    /\b(?:comes?|came|goes|went|stands?|stood|gone|goe?s? on)\b/g,
    '"arrives", "is deleted", "is in", "continues"',
  ],
  [/\babsent\b/g, '"optional" or "`undefined` if …"'],
  [/\b(?:is|are|was|were) (?:there|none|theirs|ours|its)\b/g, '"exists", "there are no …"'],
  [/\b(?:so|as|too) (?:long|many|much|old)\b/g, 'the number and its unit'],
  [/\bunder way\b|\bby itself\b|\bof (?:its|their) own\b/g, '"in progress", "separate"'],
]

type Piece = Readonly<{ path: string; text: string }>

const root = join(import.meta.dirname, '..')
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
const readAll = (pattern: RegExp): Piece[] =>
  files
    .filter((path) => pattern.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const extract = (pieces: Piece[], pattern: RegExp): Piece[] =>
  pieces.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map((match) => ({ path, text: match.slice(1).find(Boolean) ?? '' })),
  )

const source = readAll(/^(app|plugins|routes|schemas)\/.*\.(ts|js)$/)
const sql = readAll(/^app\/.*\.sql$/)
const code = readAll(/^(app|plugins|routes|schemas|test|checks|bench|clients)\/.*\.(ts|js)$/)
const documents = readAll(/^(?!docs\/decisions|CHANGELOG|.*vectors).*\.md$/)
const isTest = /\.(?:test|process|check)\.ts$/

const texts: Record<string, { limit: number; pieces: Piece[] }> = {
  comments: {
    limit: 6,
    pieces: [
      ...extract(source, /\/\*\*?([\s\S]*?)\*\/|(?:^|\s)\/\/([^\n]*)/g),
      ...extract(sql, /^\s*--([^\n]*)$/gm),
    ],
  },
  'names of tests': {
    limit: 6,
    pieces: extract(
      code.filter(({ path }) => isTest.test(path)),
      /\btest\(\s*(?:'([^'\n]+)'|`([^`]+)`|"([^"\n]+)")/g,
    ),
  },
  documents: {
    limit: 5,
    pieces: documents.map(({ path, text }) => ({
      path,
      text: text.replace(/```[\s\S]*?```|`[^`\n]*`/g, ' '),
    })),
  },
}

const split = ({ path, text }: Piece) =>
  text
    .replace(/^\s*\*/gm, ' ')
    .split(/(?<=[.:;!?|])\s+|\n\s*\n/)
    .map((sentence) => ({ path, sentence: sentence.replace(/\s+/g, ' ').trim() }))

const findHabits = (sentence: string) =>
  habits.filter(([pattern]) => sentence.toLowerCase().match(pattern) !== null)

let isTooHigh = false
for (const [name, { limit, pieces }] of Object.entries(texts)) {
  const sentences = pieces.flatMap(split)
  const words = sentences.reduce(
    (sum, { sentence }) => sum + (sentence.match(/[A-Za-z][A-Za-z'-]+/g)?.length ?? 0),
    0,
  )
  const found = sentences.map((each) => ({ ...each, habits: findHabits(each.sentence) }))
  const count = found.reduce((sum, each) => sum + each.habits.length, 0)
  const rate = (1000 * count) / Math.max(1, words)
  process.stdout.write(`${name.padEnd(20)}${rate.toFixed(1)} per thousand words (limit ${limit})\n`)
  if (rate <= limit) continue
  isTooHigh = true
  for (const each of found.toSorted((a, b) => b.habits.length - a.habits.length).slice(0, 10)) {
    const instead = each.habits.map(([, words]) => words).join(', ')
    process.stdout.write(`  ${each.path}: "${each.sentence.slice(0, 120)}" Write ${instead}.\n`)
  }
}

const maxOf = 15
const functions = code.flatMap(({ path, text }) =>
  [...text.matchAll(/\b(?:const|function) (\w*[a-z]Of)\b(?= = (?:async )?\(|\()/g)].map(
    ([, name]) => `${name} (${path})`,
  ),
)
process.stdout.write(`${'functions …Of'.padEnd(20)}${functions.length} (limit ${maxOf})\n`)
if (functions.length > maxOf) {
  isTooHigh = true
  process.stdout.write(
    `  Use a verb, such as get, to, format or list: ${functions.slice(0, 10).join(', ')}\n`,
  )
}
process.exitCode = isTooHigh ? 1 : 0
