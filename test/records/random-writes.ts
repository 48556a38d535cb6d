import type pg from 'pg'
import { createRandom } from '../api/world.ts'
import { asCustomer } from '../helper.ts'
import { seed } from '../random.ts'
import { app, connect, database } from '../stage.ts'

/** Overlapping random transactions, and a model of the records and transitions that they commit. */

const next = createRandom(seed)
export const random = (below: number) => Math.floor(next() * below)
export const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T

export type Fields = { name: string; model: string | null; tags: string[] }
/** `life`: number of the creation. */
type Life = Fields & { life: number }
export type Transition = { before: Fields | undefined; after: Fields | undefined }
export type State = ReadonlyMap<string, Life>
const customerId = 'random'
export const keys = ['a', 'b', 'c', 'd', 'e']
export const fieldNames = ['name', 'model', 'tags'] as const

export const plain = (fields: Partial<Fields> | undefined) =>
  fields && { name: fields.name, model: fields.model ?? null, tags: fields.tags }
export const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The records after the last commit. */
export let committed: State = new Map()
export const transitions = new Map<string, Transition[]>(keys.map((key) => [key, []]))
let lives = 0

type Writer = {
  client: pg.Client
  written: { key: string; transition: Transition; record: Life | undefined }[] | undefined
  /** An update that changes nothing locks its row, too. */
  locked: Set<string>
}

export const { get } = await asCustomer(database, app, customerId)
const writers: Writer[] = await Promise.all(
  [1, 2, 3].map(async () => ({ client: await connect(), written: undefined, locked: new Set<string>() })),
)

export const ask = async (url: string) => {
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

/** Writes in random steps, and ends all transactions. Calls `afterStep` after each step. */
export const writeRandomly = async (steps: number, afterStep: () => Promise<void> = async () => {}) => {
  for (let step = 0; step < steps; step++) {
    const writer = pick(writers)
    if (writer.written === undefined) {
      await writer.client.query('begin')
      // Fixes the time of the transaction.
      await writer.client.query('select now()')
      writer.written = []
    } else if (random(5) === 0) await end(writer)
    else await write(writer)
    await afterStep()
  }
  for (const writer of writers) if (writer.written) await end(writer)
}
