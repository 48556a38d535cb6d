import t from 'tap'
import { cases, seed } from '../../random.ts'
import {
  ask,
  committed,
  type Fields,
  fieldNames,
  get,
  keys,
  plain,
  type Transition,
  transitions,
  writeRandomly,
} from '../../records/random-writes.ts'
import type { Entry } from './entries.ts'
import { readAll as readEntries } from './stage.ts'

/** After overlapping random transactions, history must contain each transition once. */
const steps = cases(200)

const readAll = (url: string, limit: number) => readEntries(get, url, limit)

/** Undoes the entries one after the other. Returns the transitions, newest first. */
const undo = (present: Fields | undefined, entries: readonly Entry[]): (Transition & { op: string })[] => {
  let after = present
  return entries.map(({ op, changes }) => {
    const told = Object.fromEntries(
      fieldNames.filter((name) => changes[name]).map((name) => [name, changes[name]?.from ?? null]),
    )
    const before = op === 'create' ? undefined : (plain({ ...after, ...told }) as Fields)
    const transition = { op, before, after }
    after = before
    return transition
  })
}
const operation = ({ before, after }: Transition) => (before ? (after ? 'update' : 'delete') : 'create')

t.test(`history reports the ${steps} steps of seed ${seed}`, async (t) => {
  await writeRandomly(steps)
  const { data: present } = (await ask('/v1/products?limit=100')) as {
    data: (Fields & { id: string })[]
  }
  const inTable = present.map((each) => [each.id, plain(each)]).sort()
  t.same(inTable, [...committed].map(([key, each]) => [key, plain(each)]).sort(), 'the table is the model')

  const all = await readAll('/v1/history', 500)
  for (const limit of [1, 2, 7]) t.same(await readAll('/v1/history', limit), all, `the list by ${limit}`)
  for (const key of keys) {
    const expected = transitions.get(key) ?? []
    if (expected.length === 0) continue
    const own = await readAll(`/v1/products/${key}/history`, 3)
    t.same(
      undo(plain(committed.get(key)) as Fields | undefined, own),
      expected.toReversed().map((each) => ({ op: operation(each), ...each })),
      `${key}: each of ${expected.length} transitions once`,
    )
    t.same(
      all.filter(({ id }) => id === key),
      own,
      `${key} in the list`,
    )
  }
})
