import { inTurn } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import { ApiError } from '../../errors.ts'
import type { ResourceName } from '../../records/resources/define.ts'
import { readMoment } from '../moment.ts'
import { wholeState } from '../query.ts'
import { readChanges } from '../read.ts'
import type { SyncToken, TokenCodec } from '../token.ts'

/** A place in the feed as the table of webhooks keeps it. */
export type Place = Readonly<{ token: string; since: string; day: string; identity: string }>

/** What there is to tell. */
export type Finding = Readonly<{
  /** Resources in which something changed; none: nothing did. */
  resources: readonly ResourceName[]
  /** Where the receiver reads on: a sync token, or `snapshot` where the feed cannot tell what changed. */
  after: string
  /** Where the next look begins. */
  next: Place
}>

type LookOptions = {
  /** Connections that read customers' data. */
  db: Db
  tokens: TokenCodec
  /** The UTC date by the database's clock, YYYY-MM-DD. */
  today: () => string
}

type Watched = Readonly<{ customerId: string; resources: readonly ResourceName[] }>

const pageLimit = 200
/** Pages read to learn which resources changed. After a larger change all of the webhook's resources are named. */
const mostPages = 10

const toPlace = ({ tokens }: LookOptions, customerId: string, token: SyncToken): Place => ({
  token: tokens.encode(customerId, token),
  since: String(token.base.xmin),
  day: token.moment.day,
  identity: token.identity,
})

/** Reads as the feed does. */
const createReader =
  ({ db, today }: LookOptions, { customerId, resources }: Watched) =>
  async (token: SyncToken | undefined) => {
    const bindings = await readMoment(db, customerId, today())
    return readChanges(db, { customerId, token, resources, bindings, limit: pageLimit })
  }

/** The place of now: what is committed by now will not be told. Rejects as a read of the feed does. */
export const findPlaceOfNow = async (options: LookOptions, watched: Watched): Promise<Place> => {
  const { token } = await createReader(options, watched)(undefined)
  return toPlace(options, watched.customerId, token)
}

const isExpired = (error: unknown) => error instanceof ApiError && error.code === 'sync_token_expired'

/**
 * Looks for changes since a place, by the reads of the feed itself. Where the feed refuses the token, as after a
 * restore, all resources have to be read anew. Rejects as a read of the feed does.
 */
export const lookForChanges = (options: LookOptions, watched: Watched, from: string): Promise<Finding> =>
  inTurn(options.db, watched.customerId, async () => {
    const { customerId, resources } = watched
    const read = createReader(options, watched)
    const all = async (after: string) => {
      const { token } = await read(undefined)
      return { resources, after, next: toPlace(options, customerId, token) }
    }
    const changed = new Set<string>()
    let token = options.tokens.decode(customerId, from)
    if (!token) return all(wholeState)
    try {
      for (let pages = 1; ; pages++) {
        const page = await read(token)
        for (const change of page.changes) changed.add((JSON.parse(change) as { resource: string }).resource)
        token = page.token
        if (!page.hasMore) break
        if (changed.size === resources.length || pages === mostPages) return all(from)
      }
    } catch (error) {
      if (isExpired(error)) return all(wholeState)
      throw error
    }
    const named = resources.filter((name) => changed.has(name))
    return { resources: named, after: from, next: toPlace(options, customerId, token) }
  })
