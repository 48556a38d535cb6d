import t from 'tap'
import { cases, seed } from '../../random.ts'
import {
  ask,
  committed,
  type Fields,
  fieldNames,
  isSame,
  keys,
  pick,
  random,
  type State,
  writeRandomly,
} from '../../records/random-writes.ts'

/** After overlapping random transactions, the feed must report the difference to every token. */
const steps = cases(200)

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

t.test(`the feed reports the ${steps} steps of seed ${seed}`, async (t) => {
  const tokens: Token[] = []
  const wrong: string[] = []
  await writeRandomly(steps, async () => {
    if (random(20) === 0) tokens.push(await takeToken())
    if (random(25) === 0 && tokens.length > 0)
      wrong.push(...(await followFrom(pick(tokens), pick([1, 3, 100]))))
  })
  for (const token of tokens) for (const limit of [1, 100]) wrong.push(...(await followFrom(token, limit)))
  t.ok(tokens.length > 0)
  t.same([...new Set(wrong)], [], 'the feed tells each follower the difference')
})
