import { encodings } from '../cache/encodings.ts'
import type { Entry } from '../cache/entry.ts'

/** An answer as the router gave it: what it wrote once is written again, but for what belongs to the moment. */
export type Reply = {
  readonly status: 200 | 304
  readonly body: Buffer | undefined
  /** Names and values as `writeHead` takes them. The first are of the moment, in the order of `momentary`. */
  readonly fields: string[]
}

/** Header fields that are another request's tomorrow. */
export const momentary = [
  'request-id',
  'data-as-of',
  'server-timing',
  'ratelimit',
  'ratelimit-policy',
] as const
export type Momentary = Readonly<Record<(typeof momentary)[number], string>>

/** What, beside the entry, a reply depends on. */
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
  find(entry: Entry, variant: Variant): Reply | undefined
  /** `headers`: all that the router sent, by lower-case name. */
  add(entry: Entry, variant: Variant, headers: Readonly<Record<string, unknown>>, body?: Buffer): void
}

const hit = 'certdata; hit'
const replaced = new Set<string>([...momentary, 'cache-status', 'link', 'content-length'])

/** Replies live as long as their entries. */
export const createReplies = (): Replies => {
  const known = new WeakMap<Entry, (Reply | undefined)[]>()
  return {
    find: (entry, variant) => known.get(entry)?.[indexOf(variant)],
    add(entry, variant, headers, body) {
      const constant = Object.entries(headers).flatMap(([name, value]) =>
        replaced.has(name) || value === undefined ? [] : [name, String(value)],
      )
      const fields = [
        ...momentary.flatMap((name) => [name, '']),
        ...(variant.hasLink ? ['link', ''] : []),
        ...['cache-status', hit],
        ...(body ? ['content-length', String(body.length)] : []),
        ...constant,
      ]
      const replies = known.get(entry) ?? []
      replies[indexOf(variant)] = { status: variant.isNotModified ? 304 : 200, body, fields }
      known.set(entry, replies)
    },
  }
}
