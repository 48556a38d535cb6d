import type pg from 'pg'
import t from 'tap'
import { createRandom } from '../api/world.ts'
import { asCustomer } from '../helper.ts'
import { cases, seed } from '../random.ts'
import type { Entry } from './entries.ts'
import { app, connect, database, readAll as readEntries } from './stage.ts'

/**
 * Compares history and feed with a model of overlapping random transactions. History must contain each transition
 * once, and the feed must report the difference to every token.
 */
const steps = cases(200)

const next = createRandom(seed)
const random = (below: number) => Math.floor(next() * below)
const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T

type Fields = { name: string; model: string | null; tags: string[] }
/** `life`: number of the creation. */
type Life = Fields & { life: number }
type Transition = { before: Fields | undefined; after: Fields | undefined }
type State = ReadonlyMap<string, Life>
const customerId = 'random'
const keys = ['a', 'b', 'c', 'd', 'e']
const fieldNames = ['name', 'model', 'tags'] as const

const plain = (fields: Partial<Fields> | undefined) =>
  fields && { name: fields.name, model: fields.model ?? null, tags: fields.tags }
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

let committed: State = new Map()
const transitions = new Map<string, Transition[]>(keys.map((key) => [key, []]))
let lives = 0

type Writer = {
  client: pg.Client
  written: { key: string; transition: Transition; record: Life | undefined }[] | undefined
  /** An update that changes nothing locks its row, too. */
  locked: Set<string>
}

const { get } = await asCustomer(database, app, customerId)
const writers: Writer[] = await Promise.all(
  [1, 2, 3].map(async () => ({ client: await connect(), written: undefined, locked: new Set<string>() })),
)

const ask = async (url: string) => {
  const answer = await get(url, { 'cache-control': 'no-cache' })
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.body}`)
  return answer.json()
}

const seenBy = ({ written }: Writer, key: string): Life | undefined => {
  const own = written?.findLast((each) => each.key === key)
  return own ? own.record : committed.get(key)
}
const isLocked = (writer: Writer, key: string) =>
  writers.some((each) => each !== writer && each.locked.has(key))

const anyFields = (): Fields => ({
  name: pick(['one', 'two', 'three "3"']),
  model: pick([null, 'M', 'N']),
  tags: pick([[], ['x'], ['x', 'y']]),
})
const note = (writer: Writer, key: string, record: Life | undefined) => {
  const before = plain(seenBy(writer, key)) as Fields | undefined
  const transition = { before, after: plain(record) as Fields | undefined }
  writer.written?.push({ key, transition, record })
}

const write = async (writer: Writer) => {
  const key = pick(keys)
  if (isLocked(writer, key)) return
  const { client, locked } = writer
  locked.add(key)
  const record = seenBy(writer, key)
  const own = [customerId, key]
  if (!record) {
    const fields = anyFields()
    await client.query(
      `insert into products (customer_id, id, name, model, tags) values ($1, $2, $3, $4, $5)`,
      [...own, fields.name, fields.model, fields.tags],
    )
    note(writer, key, { ...fields, life: ++lives })
    return
  }
  const where = 'where customer_id = $1 and id = $2'
  const action = pick(['update', 'update', 'touch', 'delete', 'move'])
  if (action === 'touch') await client.query(`update products set name = name ${where}`, own)
  if (action === 'update') {
    const changed = pick(fieldNames)
    const next = { ...record, [changed]: anyFields()[changed] }
    await client.query(`update products set name = $3, model = $4, tags = $5 ${where}`, [
      ...own,
      next.name,
      next.model,
      next.tags,
    ])
    if (!isSame(plain(next), plain(record))) note(writer, key, next)
  }
  if (action === 'delete') {
    await client.query(`delete from products ${where}`, own)
    note(writer, key, undefined)
  }
  if (action === 'move') {
    const free = keys.filter((other) => !seenBy(writer, other) && !isLocked(writer, other))
    if (free.length === 0) return
    const to = pick(free)
    locked.add(to)
    await client.query(`update products set id = $3 ${where}`, [...own, to])
    note(writer, key, undefined)
    note(writer, to, { ...record, life: ++lives })
  }
}

const end = async (writer: Writer) => {
  const isKept = random(4) > 0
  await writer.client.query(isKept ? 'commit' : 'rollback')
  if (isKept) {
    const next = new Map(committed)
    for (const { key, transition, record } of writer.written ?? []) {
      transitions.get(key)?.push(transition)
      if (record) next.set(key, record)
      else next.delete(key)
    }
    committed = next
  }
  writer.written = undefined
  writer.locked.clear()
}

type Change = { op: string; id: string; changed?: string[]; previous?: Partial<Fields> }
type Token = { token: string; state: State }
const takeToken = async (): Promise<Token> => {
  const { page } = await ask('/v1/changes?resources=products')
  return { token: page.next_token, state: committed }
}

/** Compares the feed after a token with the model. */
const followFrom = async ({ token, state }: Token, limit: number): Promise<string[]> => {
  const told = new Map<string, Change>()
  for (let after = token, isMore = true; isMore; ) {
    const { data, page } = await ask(`/v1/changes?after=${after}&previous=true&limit=${limit}`)
    for (const change of data as Change[]) told.set(change.id, change)
    after = page.next_token
    isMore = page.has_more
  }
  return keys.flatMap((key) => {
    const [before, now, change] = [state.get(key), committed.get(key), told.get(key)]
    const differing =
      before && now ? fieldNames.filter((name) => !isSame(before[name], now[name])).sort() : []
    const isOther = before?.life !== now?.life
    const say = (what: string) => [`${key}: ${what}, told ${JSON.stringify(change)}`]
    if (!change) return isOther || differing.length > 0 ? say('nothing told') : []
    if (change.op !== (now ? 'upsert' : 'delete')) return say('another operation')
    if (!now) return []
    if (!before || isOther) return change.changed ? say('a change of a new record') : []
    const expected = Object.fromEntries(differing.map((name) => [name, before?.[name]]))
    const isTold =
      isSame(change.changed ?? [], Object.keys(expected)) && isSame(change.previous ?? {}, expected)
    return isTold ? [] : say(`expected ${JSON.stringify(expected)}`)
  })
}

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

t.test(`history and feed report the ${steps} steps of seed ${seed}`, async (t) => {
  const tokens: Token[] = []
  const wrong: string[] = []
  for (let step = 0; step < steps; step++) {
    const writer = pick(writers)
    if (writer.written === undefined) {
      await writer.client.query('begin')
      // Fixes the time of the transaction.
      await writer.client.query('select now()')
      writer.written = []
    } else if (random(5) === 0) await end(writer)
    else await write(writer)
    if (random(20) === 0) tokens.push(await takeToken())
    if (random(25) === 0 && tokens.length > 0)
      wrong.push(...(await followFrom(pick(tokens), pick([1, 3, 100]))))
  }
  for (const writer of writers) if (writer.written) await end(writer)
  for (const token of tokens) for (const limit of [1, 100]) wrong.push(...(await followFrom(token, limit)))
  t.same([...new Set(wrong)], [], 'the feed tells each follower the difference')

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
