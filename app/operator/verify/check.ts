import type { Ask, ServiceAnswer } from './service.ts'

/** How an answer differs from a promise. Contains no credentials. */
export type Failure = Readonly<{ request: string; expected: string; seen: string }>

export type World = Readonly<{
  ask: (ask: Ask) => Promise<ServiceAnswer>
  /** The origin that the service publishes as its issuer. */
  base: string
  token: string
  apiKey: string | undefined
  scopes: readonly string[]
  /** Placeholders of the cases: `{list}` is the path of a list that has records, `{record}` that of one. */
  values: Readonly<Record<string, string>>
}>

/** One promise of the contract. Throws Skipped if this key or these records cannot show it. */
export type Check = Readonly<{
  section: number
  promise: string
  run: (world: World) => Promise<Failure[]>
}>

/** The promise cannot be checked. The message is the reason. */
export class Skipped extends Error {}

/** Why the demo skips exports. */
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

/** Returns no failure if `holds`, or one. */
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
