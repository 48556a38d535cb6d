import { parseSnapshot, type Snapshot } from '../cache/snapshot.ts'
import { createSignedText, type Mac } from '../config/signed.ts'
import type { ResourceName } from '../records/resources/define.ts'
import type { View } from './view.ts'

/** What computed fields are for: a day (YYYY-MM-DD) and an expiry window in days. */
export type DayAndWindow = Readonly<{ day: string; window: number }>

/** A walk over what flips between two moments, and the last row seen: edge, column's value, id. */
export type FlipWalk = Readonly<{ to: DayAndWindow; after: readonly [number, string, string] | undefined }>

/** A walk over the log up to a snapshot, and the last row seen. */
export type DiffWalk = Readonly<{
  target: Snapshot
  xid: number
  position: number
  /** As `baseAt`, of the target. */
  targetAt?: string | undefined
}>

/**
 * Where a follower is. Its records show all that is visible in `base`. If it is within a walk over the log, they also show
 * what changed up to the place in `diff`. Its computed values are those of `moment`, and up to the place in `flip` later ones.
 * See docs/decisions/0033-sync-tokens-name-running-transactions.md.
 */
export type SyncToken = Readonly<{
  /** Which history of which database: `change_identity()`. */
  identity: string
  /** When it was made, in seconds since 1970 by the database's clock. */
  issuedAt: number
  resources: readonly ResourceName[]
  moment: DayAndWindow
  flip: FlipWalk | undefined
  base: Snapshot
  diff: DiffWalk | undefined
  /** The newest random mark visible in `targetOf` it; undefined: tokens of earlier releases name none. */
  mark?: string | undefined
  /** `base` was taken after this instant, RFC 3339; undefined: tokens of earlier releases do not say. */
  baseAt?: string | undefined
  /** The day and window whose computed values `base` has; undefined: `moment`. */
  baseMoment?: DayAndWindow | undefined
  /** Which records of its one resource, and which fields; undefined: all. */
  view?: View | undefined
}>

/** The snapshot that the follower's records show, or will show at the end of the walk over the log. */
export const targetOf = ({ base, diff }: Pick<SyncToken, 'base' | 'diff'>): Snapshot => diff?.target ?? base

export type TokenCodec = {
  encode(customerId: string, token: SyncToken): string
  /** Undefined: we did not make it, or not for this customer. */
  decode(customerId: string, text: string): SyncToken | undefined
}

/** What is wrong with a token that is not ours. */
export const foreignToken =
  'expected page.next_token or the header Sync-Token of an earlier answer, unchanged'

const version = 1
/** Of tokens with a view. Releases that know no view refuse them, and do not answer whole records without a filter. */
const versionWithView = 2
const radix = 36

/** Numbers as differences: a running transaction costs two or three characters, not twenty. */
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

type Packed = [
  identity: string,
  issuedAt: number,
  resources: readonly ResourceName[],
  moment: [string, number],
  flip: [string, number, readonly [number, string, string] | null] | null,
  base: string,
  diff: [string, number, number, (string | null)?] | null,
  mark: string | null,
  baseAt?: string | null,
  view?: View | null,
  baseMoment?: [string, number] | null,
]

const pack = ({
  identity,
  issuedAt,
  resources,
  moment,
  flip,
  base,
  diff,
  mark,
  baseAt,
  view,
  baseMoment,
}: SyncToken): Packed => [
  identity,
  issuedAt,
  resources,
  [moment.day, moment.window],
  flip ? [flip.to.day, flip.to.window, flip.after ?? null] : null,
  packSnapshot(base),
  diff ? [packSnapshot(diff.target), diff.xid, diff.position, diff.targetAt ?? null] : null,
  mark ?? null,
  baseAt ?? null,
  view ?? null,
  baseMoment ? [baseMoment.day, baseMoment.window] : null,
]

const unpack = ([
  identity,
  issuedAt,
  resources,
  moment,
  flip,
  base,
  diff,
  mark,
  baseAt,
  view,
  baseMoment,
]: Packed): SyncToken => ({
  identity,
  issuedAt,
  resources,
  moment: { day: moment[0], window: moment[1] },
  flip: flip ? { to: { day: flip[0], window: flip[1] }, after: flip[2] ?? undefined } : undefined,
  base: unpackSnapshot(base),
  diff: diff
    ? { target: unpackSnapshot(diff[0]), xid: diff[1], position: diff[2], targetAt: diff[3] ?? undefined }
    : undefined,
  mark: mark ?? undefined,
  baseAt: baseAt ?? undefined,
  view: view ?? undefined,
  baseMoment: baseMoment ? { day: baseMoment[0], window: baseMoment[1] } : undefined,
})

/** Sync tokens as opaque text, signed as cursors are, with a key for this purpose. */
export const createTokenCodec = (secrets: Mac): TokenCodec => {
  const signed = createSignedText(secrets, 'sync token', version)
  const signedWithView = createSignedText(secrets, 'sync token', versionWithView)
  return {
    encode: (customerId, token) =>
      (token.view === undefined ? signed : signedWithView).sign(
        customerId,
        Buffer.from(JSON.stringify(pack(token))),
      ),
    decode(customerId, text) {
      const payload = signed.open(customerId, text) ?? signedWithView.open(customerId, text)
      return payload && unpack(JSON.parse(payload.toString()) as Packed)
    },
  }
}
