import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Check, costly, expectStatus, expectThat, type Failure, Skipped, type World } from './check.ts'
import { parseBody, type ServiceAnswer } from './service.ts'

/** Expected value of a header, body or member. null: absent. `has`: an object with at least these members. */
type Expected =
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | Readonly<{ matches: string }>
  | Readonly<{ length: number }>
  | Readonly<{ has: readonly string[] }>

// Texts may contain placeholders such as `{list}`. `{x*9000}` is `x` 9,000 times. A stranger sends no token.
type Case = Readonly<{
  path: string
  method?: string
  as?: 'stranger'
  send?: Readonly<Record<string, string>>
  body?: string
  status?: number
  code?: string
  headers?: Readonly<Record<string, Expected>>
  json?: Readonly<Record<string, Expected>>
  text?: Expected
}>

/** `each`: members that a case has unless it sets them. */
type PromiseCases = Readonly<{
  promise: string
  /** Too many requests for the quota of the demo. */
  isCostly?: true
  each?: Partial<Case>
  cases: readonly Partial<Case>[]
}>

const folder = join(import.meta.dirname, 'cases')

/** Replaces placeholders. Throws Skipped if the customer has no such record. */
const fill = (text: string, values: World['values']): string =>
  text
    .replace(/\{(.)\*(\d+)\}/g, (_, character: string, count: string) => character.repeat(Number(count)))
    .replace(/\{([a-z]+)\}/g, (_, name: string) => {
      const value = values[name]
      if (value === undefined) throw new Skipped(`there is no ${name} to read`)
      return value
    })

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const matches = (seen: unknown, expected: Expected): boolean => {
  if (!isObject(expected) || Array.isArray(expected)) return isDeepStrictEqual(seen, expected)
  if ('matches' in expected) return !isObject(seen) && new RegExp(expected.matches).test(String(seen))
  if ('length' in expected) return isObject(seen) && 'length' in seen && seen.length === expected.length
  return 'has' in expected && isObject(seen) && expected.has.every((name) => name in seen)
}

const readPointer = (body: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((found: unknown, name) => (isObject(found) ? Reflect.get(found, name) : undefined), body) ?? null

const judge = (answer: ServiceAnswer, wanted: Case, values: World['values']): Failure[] => {
  const { status = 200, code, headers = {}, json = {}, text } = wanted
  const body = parseBody(answer)
  const members = code === undefined ? json : { '/code': code, ...json }
  if ('/data/0' in json && isDeepStrictEqual(readPointer(body, '/data'), [])) {
    throw new Skipped('the list is empty')
  }
  const compare = (name: string, seen: unknown, expected: Expected) => {
    const filled = typeof expected === 'string' ? fill(expected, values) : expected
    const describe = (value: unknown) =>
      `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
    return expectThat(matches(seen, filled), answer.ask, describe(filled), describe(seen))
  }
  if (answer.status === 429 && answer.ask.token === undefined)
    throw new Skipped('the service limits these requests')
  return [
    ...expectStatus(answer, status),
    ...Object.entries(headers).flatMap(([name, each]) => compare(name, answer.headers[name] ?? null, each)),
    ...Object.entries(members).flatMap(([name, each]) => compare(name, readPointer(body, name), each)),
    ...(text === undefined ? [] : compare('body', answer.bytes.toString(), text)),
  ]
}

const runCase = async (each: Case, { ask, token, values }: World): Promise<Failure[]> => {
  const { path, method = 'GET', send = {}, body, as } = each
  const headers = Object.entries(send).map(([name, value]) => [name, fill(value, values)])
  const answer = await ask({
    ...{ path: fill(path, values), method, headers: Object.fromEntries(headers) },
    ...(body === undefined ? {} : { body: fill(body, values) }),
    token: as === 'stranger' ? undefined : token,
  })
  return judge(answer, each, values)
}

/** Adds the record's present tag: whole, strong, and without its last quote. */
const withTags = async (world: World): Promise<World> => {
  const { record } = world.values
  if (record === undefined) return world
  const { etag = '' } = (await world.ask({ path: record, token: world.token })).headers
  const tags = { etag, strong: etag.replace('W/', ''), inner: etag.slice(0, -1) }
  return { ...world, values: { ...world.values, ...tags } }
}

/** Returns a scope that the path needs and the key lacks. */
const findMissingScope = (path: string, scopes: readonly string[]): string | undefined => {
  const [, resource] =
    /^\/v1\/(certificates|products|projects|countries|lab|approvals|changes)\b/.exec(path) ?? []
  const scope = `${resource}:read`
  return resource === undefined || scopes.includes(scope) ? undefined : scope
}

const runCases = async (promise: PromiseCases, isBrief: boolean, world: World): Promise<Failure[]> => {
  const { isCostly, each = {}, cases } = promise
  if (isBrief && isCostly) throw new Skipped(costly)
  const learned = JSON.stringify(promise).includes('{etag}') ? await withTags(world) : world
  const failures: Failure[] = []
  for (const one of isBrief ? cases.slice(0, 1) : cases) {
    const whole = { path: '', ...each, ...one }
    const missing = findMissingScope(whole.path, world.scopes)
    if (missing) throw new Skipped(`the key has no scope ${missing}`)
    failures.push(...(await runCase(whole, learned)))
  }
  return failures
}

/** Reads the cases. Their files begin with the contract's section. `isBrief`: one case of each promise. */
export const listCases = (isBrief: boolean): Check[] =>
  readdirSync(folder).flatMap((name) => {
    const promises: PromiseCases[] = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    return promises.map((each) => ({
      section: Number.parseInt(name, 10),
      promise: each.promise,
      run: (world: World) => runCases(each, isBrief, world),
    }))
  })
