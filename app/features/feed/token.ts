import { parseSnapshot, type Snapshot } from '../../cache/snapshot.ts'
import { createSignedText, type Mac } from '../../config/signed.ts'
import { ApiError } from '../../errors.ts'
import { compact, expand } from '../../http/compact.ts'
import type { ResourceName } from '../../records/resources/define.ts'

/** The filter and fields of a sync token, in canonical form: the parameters of a query. */
export type View = string

/** The inputs of computed fields: a day (YYYY-MM-DD) and an expiry window in days. */
export type DayAndWindow = Readonly<{ day: string; window: number }>

/** A walk over computed changes to the moment `to`, and its last row: edge, column's value, id. */
export type FlipWalk = Readonly<{ to: DayAndWindow; after: readonly [number, string, string] | undefined }>

/** A walk over the log to a snapshot, taken after the instant `targetAt`, and its last row. */
export type DiffWalk = Readonly<{ target: Snapshot; targetAt: string; xid: number; position: number }>

/**
 * A follower's position: everything visible in `base`, and the part of the log that the walk `diff` has read.
 * Computed values are of `moment`, or of `flip.to` in the part that the walk `flip` has read.
 * See docs/decisions/0033-sync-tokens-name-running-transactions.md.
 */
export type SyncToken = Readonly<{
  /** `change_identity()` of the database. */
  identity: string
  /** Seconds since 1970, by the database's clock. */
  issuedAt: number
  resources: readonly ResourceName[]
  moment: DayAndWindow
  flip?: FlipWalk | undefined
  base: Snapshot
  /** `base` was taken after this instant, RFC 3339. */
  baseAt: string
  /** The moment of the computed values in `base`. Defaults to `moment`. */
  baseMoment?: DayAndWindow | undefined
  diff?: DiffWalk | undefined
  /** The newest random mark that `getTarget` of this token shows. */
  mark: string
  view?: View | undefined
  /** A webhook has reported the changes that this snapshot shows, so an older poll proves nothing. */
  reported?: Snapshot | undefined
}>

/** The snapshot at the end of the walk over the log. `base` without a walk. */
export const getTarget = ({ base, diff }: Pick<SyncToken, 'base' | 'diff'>): Snapshot => diff?.target ?? base

export type TokenCodec = {
  encode(customerId: string, token: SyncToken): string
  /** `undefined` for a forged token, another customer's, or one of another version or secret. */
  decode(customerId: string, text: string): SyncToken | undefined
}

/** Creates the error sync_token_expired. `reason`: the start of a sentence. */
export const expireToken = (reason: string): ApiError =>
  new ApiError('sync_token_expired', { detail: `${reason}: start again with after=snapshot` })

export const foreignToken =
  'expected page.next_token or the header Sync-Token of an earlier answer, unchanged'

const version = 2
const radix = 36

/** Writes differences, which have two or three characters instead of twenty. */
const packSnapshot = ({ xmin, xmax, xip }: Snapshot): string => {
  const steps = xip.map((xid, index) => xid - (xip[index - 1] ?? xmin))
  return [xmin, xmax - xmin, ...steps].map((number) => number.toString(radix)).join(' ')
}

const unpackSnapshot = (text: string): Snapshot => {
  const [xmin = 0, width = 0, ...steps] = text.split(' ').map((part) => Number.parseInt(part, radix))
  let last = xmin
  const xip = steps.map((step) => {
    last += step
    return last
  })
  return parseSnapshot(`${xmin}:${xmin + width}:${xip.join(',')}`)
}

type Stored = Omit<SyncToken, 'base' | 'diff' | 'reported'> & {
  base: string
  reported?: string | undefined
  diff?: (Omit<DiffWalk, 'target'> & { target: string }) | undefined
}

const store = ({ base, diff, reported, ...rest }: SyncToken): Stored => ({
  ...rest,
  base: packSnapshot(base),
  reported: reported && packSnapshot(reported),
  diff: diff && { ...diff, target: packSnapshot(diff.target) },
})

const restore = ({ base, diff, reported, ...rest }: Stored): SyncToken => ({
  ...rest,
  base: unpackSnapshot(base),
  reported: reported === undefined ? undefined : unpackSnapshot(reported),
  diff: diff && { ...diff, target: unpackSnapshot(diff.target) },
})

/** Creates the codec of sync tokens: opaque, signed text. */
export const createTokenCodec = (secrets: Mac): TokenCodec => {
  const signed = createSignedText(secrets, 'sync token', version)
  return {
    encode: (customerId, token) => signed.sign(customerId, compact(JSON.stringify(store(token)))),
    decode(customerId, text) {
      const payload = signed.open(customerId, text)
      return payload && restore(JSON.parse(expand(payload)) as Stored)
    },
  }
}
