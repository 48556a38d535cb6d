import type { Ask, ServiceAnswer } from './service.ts'

/** How an answer differs from a promise. */
export type Failure = Readonly<{ request: string; expected: string; seen: string }>

export type World = Readonly<{
  ask: (ask: Ask) => Promise<ServiceAnswer>
  /** The origin that the service publishes as its issuer. */
  base: string
  token: string
  apiKey: string | undefined
  scopes: readonly string[]
  /** Values of placeholders. `list`: the path of a list that has records, `record`: of one of them. */
  values: Readonly<Record<string, string>>
}>

/** One promise of the contract. Throws Skipped if this key or these records cannot show it. */
export type Check = Readonly<{
  section: number
  promise: string
  run: (world: World) => Promise<Failure[]>
}>

/** The reason why a promise cannot be checked. */
export class Skipped extends Error {}

export const costly = 'the quota of the demo is too small'

const excerpt = (value: unknown): string => {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)) ?? 'nothing'
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}

/** Formats a request as `GET /v1/products, if-none-match: "x"`, without credentials. */
export const describeAsk = ({ method = 'GET', path, headers = {} }: Ask): string =>
  [
    `${method} ${excerpt(path)}`,
    ...Object.entries(headers).map(
      ([name, value]) => `${name}: ${name === 'authorization' ? '…' : excerpt(value)}`,
    ),
  ].join(', ')

/** Returns a failure unless `holds`. */
export const expectThat = (holds: boolean, ask: Ask, expected: string, seen: unknown): Failure[] =>
  holds ? [] : [{ request: describeAsk(ask), expected, seen: excerpt(seen) }]

/** Returns a failure if the status differs, with the code of a problem document. */
export const expectStatus = (answer: ServiceAnswer, status: number): Failure[] =>
  expectThat(
    answer.status === status,
    answer.ask,
    `status ${status}`,
    `status ${answer.status} ${/"code":"\w+"/.exec(answer.bytes.toString())?.[0] ?? ''}`.trim(),
  )
