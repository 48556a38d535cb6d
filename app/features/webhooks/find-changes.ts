import { inTurn, type QueuedDb } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import { ApiError } from '../../errors.ts'
import type { ResourceName } from '../../records/resources/define.ts'
import { wholeState } from '../feed/query.ts'
import { beginFollowing, readChanges } from '../feed/read.ts'
import type { SyncToken, TokenCodec } from '../feed/token.ts'
import { advance, type ProveEmpty } from '../feed/unchanged.ts'
import { toInstant } from './schedule.ts'
import type { FeedPosition } from './store.ts'

export type FoundChanges = Readonly<{
  resources: readonly ResourceName[]
  /** A sync token, or `snapshot` if the feed cannot list the changes. */
  after: string
  next: FeedPosition
}>

type SearchOptions = {
  db: Db
  tokens: TokenCodec
  now: () => number
}

type Watched = Readonly<{ customerId: string; resources: readonly ResourceName[] }>

const pageLimit = 200
/** After more pages, the message names all of the webhook's resources. */
const mostPages = 10

const toPosition = ({ tokens }: SearchOptions, customerId: string, token: SyncToken): FeedPosition => ({
  token: tokens.encode(customerId, token),
  since: String(token.base.xmin),
  day: token.moment.day,
  identity: token.identity,
})

const readNow = async ({ db, now }: SearchOptions, watched: Watched): Promise<SyncToken> =>
  (await beginFollowing(db, { ...watched, day: toInstant(now()).slice(0, 10) })).token

/** The position after all committed changes. Rejects like a read of the feed. */
export const findCurrentPosition = async (
  options: SearchOptions,
  watched: Watched,
): Promise<FeedPosition> => {
  const token = await readNow(options, watched)
  return toPosition(options, watched.customerId, token)
}

const isExpired = (error: unknown) => error instanceof ApiError && error.code === 'sync_token_expired'

type Search = SearchOptions & { db: QueuedDb; proveEmpty: ProveEmpty }

/** Searches since the token `from`. If it has expired, the result has all resources. Rejects like the feed. */
export const findChanges = async (options: Search, watched: Watched, from: string): Promise<FoundChanges> => {
  const { customerId } = watched
  const token = options.tokens.decode(customerId, from)
  const proof = token && (await options.proveEmpty({ customerId, token }))
  if (!token || !proof) return searchInTurn(options, watched, token)
  // The claims of webhooks begin at the token's oldest running transaction, so it must advance.
  return { resources: [], after: from, next: toPosition(options, customerId, advance(token, proof)) }
}

const searchInTurn = (
  options: SearchOptions & { db: QueuedDb },
  watched: Watched,
  begun: SyncToken | undefined,
): Promise<FoundChanges> =>
  inTurn(options.db, watched.customerId, async () => {
    const { customerId, resources } = watched
    const day = toInstant(options.now()).slice(0, 10)
    const read = (token: SyncToken) =>
      readChanges(options.db, { customerId, token, resources, day, limit: pageLimit })
    /** So that another instance, whose last poll may be older, does not answer the receiver that nothing changed. */
    const toReported = ({ base }: SyncToken, since: SyncToken) =>
      options.tokens.encode(customerId, { ...since, reported: base })
    const all = async (since: SyncToken | undefined) => {
      const token = await readNow(options, watched)
      const after = since ? toReported(token, since) : wholeState
      return { resources, after, next: toPosition(options, customerId, token) }
    }
    const changed = new Set<string>()
    if (!begun) return all(undefined)
    let token = begun
    try {
      for (let pages = 1; ; pages++) {
        const page = await read(token)
        for (const change of page.changes) changed.add((JSON.parse(change) as { resource: string }).resource)
        token = page.token
        if (!page.hasMore) break
        if (changed.size === resources.length || pages === mostPages) return all(begun)
      }
    } catch (error) {
      if (isExpired(error)) return all(undefined)
      throw error
    }
    const named = resources.filter((name) => changed.has(name))
    return { resources: named, after: toReported(token, begun), next: toPosition(options, customerId, token) }
  })
