import { isDeepStrictEqual } from 'node:util'
import { type Ask, readJson, type ServiceAnswer } from './service.ts'

export type Failure = Readonly<{ request: string; expected: string; seen: string }>

/** Expected value. null: does not exist. `has`: an object with at least these members. */
export type Expected =
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | Readonly<{ matches: string }>
  | Readonly<{ length: number }>
  | Readonly<{ has: readonly string[] }>

export type Expectations = Readonly<Record<string, Expected>>

type WithRequest = Pick<ServiceAnswer, 'ask'>

/** Each function adds a failure if the answer differs. */
export type Expect = Readonly<{
  that: (holds: boolean, answer: WithRequest, expected: string, seen: unknown) => void
  match: (answer: WithRequest, name: string, seen: unknown, expected: Expected) => void
  status: (answer: ServiceAnswer, status: number) => void
  headers: (answer: ServiceAnswer, expected: Expectations) => void
  /** `expected` by JSON pointer (RFC 6901). */
  json: (answer: ServiceAnswer, expected: Expectations) => void
}>

export type World = Readonly<{
  /** Sends a request. Throws Skipped if it has the token, but the key lacks a scope for the path. */
  ask: (ask: Ask) => Promise<ServiceAnswer>
  /** Sends a request with the token, and fills placeholders of the path. */
  get: (path: string, headers?: Record<string, string>, method?: string) => Promise<ServiceAnswer>
  expect: Expect
  /** The origin that the service publishes. */
  base: string
  token: string
  /** The quota of the demo is small, so each promise is checked with fewer cases. */
  isDemo: boolean
  /** Of the token. */
  scopes: readonly string[]
  /** Values of placeholders, for this promise only. Cases add learned ones. */
  values: Record<string, string>
}>

/** One promise of the contract. Throws Skipped if this key or these records cannot show it. */
export type Check = Readonly<{
  section: number
  promise: string
  run: (world: World) => Promise<void>
}>

export class Skipped extends Error {}

/** Replaces placeholders: `{list}` by its value, `{x*9000}` by 9,000 times `x`. Throws Skipped without a value. */
export const fill = (text: string, values: World['values']): string =>
  text
    .replace(/\{(.)\*(\d+)\}/g, (_, character: string, count: string) => character.repeat(Number(count)))
    .replace(/\{([a-z]+)\}/g, (_, name: string) => {
      const value = values[name]
      if (value === undefined) throw new Skipped(`there is no ${name} to read`)
      return value
    })

const toText = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)) ?? 'nothing'

const excerpt = (value: unknown): string => {
  const text = toText(value)
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}

const describeAsk = ({ method = 'GET', path, headers = {} }: Ask): string =>
  [
    `${method} ${excerpt(path)}`,
    ...Object.entries(headers).map(
      ([name, value]) => `${name}: ${name === 'authorization' ? '…' : excerpt(value)}`,
    ),
  ].join(', ')

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const matches = (seen: unknown, expected: Expected): boolean => {
  if (!isObject(expected) || Array.isArray(expected)) return isDeepStrictEqual(seen, expected)
  if ('matches' in expected)
    return typeof seen !== 'object' && new RegExp(expected.matches).test(String(seen))
  if ('length' in expected) return isObject(seen) && 'length' in seen && seen.length === expected.length
  return 'has' in expected && isObject(seen) && expected.has.every((name) => name in seen)
}

/** Creates the expectations of a check. */
export const createExpect = (failures: Failure[]): Expect => {
  const that: Expect['that'] = (holds, { ask }, expected, seen) => {
    if (!holds) failures.push({ request: describeAsk(ask), expected: excerpt(expected), seen: excerpt(seen) })
  }
  const match: Expect['match'] = (answer, name, seen, expected) =>
    that(matches(seen, expected), answer, `${name}: ${toText(expected)}`, `${name}: ${toText(seen)}`)
  return {
    that,
    match,
    status: (answer, status) => {
      const [code = ''] = /"code":"\w+"/.exec(answer.bytes.toString()) ?? []
      that(answer.status === status, answer, `status ${status}`, `status ${answer.status} ${code}`.trim())
    },
    headers: (answer, expected) => {
      for (const [name, value] of Object.entries(expected))
        match(answer, name, answer.headers[name] ?? null, value)
    },
    json: (answer, expected) => {
      for (const [pointer, value] of Object.entries(expected))
        match(answer, pointer, readJson(answer, pointer), value)
    },
  }
}
