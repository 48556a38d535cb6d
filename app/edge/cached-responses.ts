import { LRUCache } from 'lru-cache'
import type { CacheEntry } from '../cache/entry.ts'
import { encodings } from '../http/encodings.ts'
import type { PreparedBody } from '../wire/prepared.ts'

/** The router's decisions about a request target of one customer. */
export type KnownTarget = Readonly<{
  /** Of the cache entry, see `entryName`. */
  name: string
  route: string
  endpoint: string | undefined
  scopes: readonly string[]
  /** UTC. Relative dates and computed fields depend on it. */
  day: string
  isAcceptable: (accept: string | undefined) => boolean
  formatNextLink: (next: string | undefined) => string | undefined
}>

/** 10,000 targets of 100 bytes. */
const maxBytes = 7_000_000
/** Estimated bytes of an entry without its key. */
export const knownTargetBytes = 600
const longestTarget = 1024

export type KnownTargets = {
  find(customerId: string, target: string): KnownTarget | undefined
  add(customerId: string, target: string, known: KnownTarget): void
}

/** Creates a store that drops the least recently used targets above `maxSize` bytes. */
export const createKnownTargets = (maxSize = maxBytes): KnownTargets => {
  const sizeCalculation = (_: KnownTarget, name: string) => knownTargetBytes + name.length
  const targets = new LRUCache<string, KnownTarget>({ maxSize, sizeCalculation })
  const toKey = (customerId: string, target: string) => `${customerId}\0${target}`
  return {
    find: (customerId, target) => targets.get(toKey(customerId, target)),
    add(customerId, target, known) {
      if (target.length <= longestTarget) targets.set(toKey(customerId, target), known)
    },
  }
}

export type CachedResponse = {
  readonly status: 200 | 304
  /** Alternating names and values, including `content-length`. */
  readonly fields: readonly string[]
  readonly body: Buffer | undefined
  text: { readonly head: string; readonly body: PreparedBody } | undefined
}

export type Variant = Readonly<{
  isTls: boolean
  isNotModified: boolean
  hasLink: boolean
  encoding: string | undefined
}>

const getVariantIndex = ({ isTls, isNotModified, hasLink, encoding }: Variant): number => {
  const coding = encoding === undefined ? 0 : 1 + encodings.indexOf(encoding as (typeof encodings)[number])
  return (coding << 3) | (isTls ? 4 : 0) | (isNotModified ? 2 : 0) | (hasLink ? 1 : 0)
}

export type CachedResponses = {
  /** `undefined` until the router has sent this variant of the entry. */
  find(entry: CacheEntry, variant: Variant): CachedResponse | undefined
  /** `headers`: all that the router sent, by lower-case name. */
  add(entry: CacheEntry, variant: Variant, headers: Readonly<Record<string, unknown>>, body?: Buffer): void
}

const hit = 'certdata; hit'
/** Fields that differ between requests or belong to the connection. */
const replaced = new Set<string>([
  'request-id',
  'data-as-of',
  'server-timing',
  'ratelimit',
  'ratelimit-policy',
  'link',
  'cache-status',
  'content-length',
  'connection',
  'keep-alive',
  'transfer-encoding',
])

/** Creates a store in which responses live as long as their cache entries. */
export const createCachedResponses = (): CachedResponses => {
  const known = new WeakMap<CacheEntry, (CachedResponse | undefined)[]>()
  return {
    find: (entry, variant) => known.get(entry)?.[getVariantIndex(variant)],
    add(entry, variant, headers, body) {
      const constant = Object.entries(headers).flatMap(([name, value]) =>
        replaced.has(name) || value === undefined ? [] : [name, String(value)],
      )
      const length = body ? ['content-length', String(body.length)] : []
      const status = variant.isNotModified ? 304 : 200
      const fields = ['cache-status', hit, ...length, ...constant]
      const variants = known.get(entry) ?? []
      variants[getVariantIndex(variant)] = { status, fields, body, text: undefined }
      known.set(entry, variants)
    },
  }
}
