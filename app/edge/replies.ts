import { encodings } from '../cache/encodings.ts'
import type { Entry } from '../cache/entry.ts'

/** An answer as the router sent it. It is sent again with the fields of the moment. */
export type Reply = Readonly<{
  status: 200 | 304
  body: Buffer | undefined
  /** Names and values in turn: the fields that stay the same. */
  fields: readonly string[]
}>

/** Header fields that differ from one request to the next. */
export type Moment = Readonly<{
  requestId: string
  asOf: string
  /** Milliseconds that the answer took. */
  ms: number
  rateLimit: string
  rateLimitPolicy: string
  link: string | undefined
}>

/** The names of these fields, and those that follow from the entry. */
const replaced = new Set<string>([
  ...['request-id', 'data-as-of', 'server-timing', 'ratelimit', 'ratelimit-policy', 'link'],
  ...['cache-status', 'content-length'],
])

/** All header fields of a reply: names and values in turn, as `writeHead` takes them. */
export const fieldsOf = ({ fields }: Reply, moment: Moment): string[] => {
  const { requestId, asOf, ms, rateLimit, rateLimitPolicy, link } = moment
  const all = fields.concat(
    ...['request-id', requestId, 'data-as-of', asOf, 'server-timing', `total;dur=${ms.toFixed(2)}`],
    ...['ratelimit', rateLimit, 'ratelimit-policy', rateLimitPolicy],
  )
  if (link !== undefined) all.push('link', link)
  return all
}

/** What a reply depends on beside its entry. */
export type Variant = Readonly<{
  isTls: boolean
  isNotModified: boolean
  hasLink: boolean
  /** Content coding; undefined: the body as it is. */
  encoding: string | undefined
}>

const indexOf = ({ isTls, isNotModified, hasLink, encoding }: Variant): number => {
  const coding = encoding === undefined ? 0 : 1 + encodings.indexOf(encoding as (typeof encodings)[number])
  return (coding << 3) | (isTls ? 4 : 0) | (isNotModified ? 2 : 0) | (hasLink ? 1 : 0)
}

export type Replies = {
  /** Undefined if the router has not sent this variant of the entry yet. */
  find(entry: Entry, variant: Variant): Reply | undefined
  /** `headers`: all that the router sent, by lower-case name. */
  add(entry: Entry, variant: Variant, headers: Readonly<Record<string, unknown>>, body?: Buffer): void
}

/** Remembers replies for as long as their entries live. */
export const createReplies = (): Replies => {
  const known = new WeakMap<Entry, (Reply | undefined)[]>()
  return {
    find: (entry, variant) => known.get(entry)?.[indexOf(variant)],
    add(entry, variant, headers, body) {
      const constant = Object.entries(headers).flatMap(([name, value]) =>
        replaced.has(name) || value === undefined ? [] : [name, String(value)],
      )
      const length = body ? ['content-length', String(body.length)] : []
      const replies = known.get(entry) ?? []
      replies[indexOf(variant)] = {
        status: variant.isNotModified ? 304 : 200,
        body,
        fields: ['cache-status', 'certdata; hit', ...length, ...constant],
      }
      known.set(entry, replies)
    },
  }
}
