import { LRUCache } from 'lru-cache'
import type { Entry } from '../cache/entry.ts'
import { encodings } from '../http/encodings.ts'
import type { PreparedBody } from '../wire/prepared.ts'

/** What the router found out about a target of a customer when it answered it last. */
export type Ticket = Readonly<{
  /** `entryName` of what answers it. */
  name: string
  /** The route's pattern. */
  route: string
  /** Which endpoint, where the pattern stands for several. */
  endpoint: string | undefined
  /** All that the target needs. */
  scopes: readonly string[]
  /** The day it was judged on: dates of the query and of computed fields are another day's tomorrow. */
  day: string
  /** Whether a client that sends this `Accept` takes the answer. */
  isAcceptable: (accept: string | undefined) => boolean
  /** Link of an entry, by the path and query of its next page; undefined: none. */
  linkOf: (next: string | undefined) => string | undefined
}>

/** Bytes of tickets kept, with their targets: 10,000 tickets with targets of 100 bytes. */
const maxBytes = 7_000_000
/** Bytes of a ticket without its target. */
export const ticketBytes = 600
/** Nobody asks the same long question often enough for it to matter. */
const longestTarget = 1024

/** Tickets by customer and target. */
export type Tickets = {
  find(customerId: string, target: string): Ticket | undefined
  add(customerId: string, target: string, ticket: Ticket): void
}

/** Makes a bounded memory of tickets, least recently used first out. */
export const createTickets = (maxSize = maxBytes): Tickets => {
  const sizeCalculation = (_: Ticket, name: string) => ticketBytes + name.length
  const tickets = new LRUCache<string, Ticket>({ maxSize, sizeCalculation })
  const nameOf = (customerId: string, target: string) => `${customerId}\0${target}`
  return {
    find: (customerId, target) => tickets.get(nameOf(customerId, target)),
    add(customerId, target, ticket) {
      if (target.length <= longestTarget) tickets.set(nameOf(customerId, target), ticket)
    },
  }
}

/** An answer as the router sent it. It is sent again with the fields of the moment. */
export type Reply = {
  readonly status: 200 | 304
  /** Names and values in turn of the fields that stay the same, `content-length` among them. */
  readonly fields: readonly string[]
  readonly body: Buffer | undefined
  /** The form for HTTP/1.1, made when it is first sent. */
  text: { readonly head: string; readonly body: PreparedBody } | undefined
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

/** Replies by entry and variant. */
export type Replies = {
  /** Undefined if the router has not sent this variant of the entry yet. */
  find(entry: Entry, variant: Variant): Reply | undefined
  /** Keeps an answer of the router. `headers` are all headers that the router sent, by lower-case name. */
  add(entry: Entry, variant: Variant, headers: Readonly<Record<string, unknown>>, body?: Buffer): void
}

const hit = 'certdata; hit'
/** Header fields that differ from one request to the next, or belong to the connection. */
const replaced = new Set<string>([
  ...['request-id', 'data-as-of', 'server-timing', 'ratelimit', 'ratelimit-policy', 'link'],
  ...['cache-status', 'content-length', 'connection', 'keep-alive', 'transfer-encoding'],
])

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
      const status = variant.isNotModified ? 304 : 200
      const fields = ['cache-status', hit, ...length, ...constant]
      const replies = known.get(entry) ?? []
      replies[indexOf(variant)] = { status, fields, body, text: undefined }
      known.set(entry, replies)
    },
  }
}
