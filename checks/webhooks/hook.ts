import type { Pool } from 'pg'
import { isVisible, type Snapshot } from '../../app/cache/snapshot.ts'
import type { Arrival, Receiver } from './receivers.ts'

/** A webhook under test: the commits of its customer, and its receiver. */
export type Hook = {
  id: string
  customer: string
  apiKey: string
  receiver: Receiver
  decode: (token: string) => Snapshot | undefined
  changes: { xid: number; committedAtMs: number }[]
}

/** Milliseconds from each commit to the message that reports it. `undefined` if there was none. */
export type Told = readonly (number | undefined)[]

export type Account = {
  told: Told
  repeated: number
  /** Whether each new message began at the end of the previous one. */
  isOrdered: boolean
}

const shows = (snapshot: Snapshot | undefined, xid: number) =>
  snapshot !== undefined && isVisible(xid, snapshot)

/** Returns the snapshot of the last delivery, from the table of webhooks. */
export const findPlace = async (owner: Pool, { id, decode }: Hook): Promise<Snapshot | undefined> => {
  const { rows } = await owner.query('select token from webhooks where webhook_id = $1', [id])
  return rows[0] ? decode(rows[0].token) : undefined
}

/**
 * Compares the commits with the received messages. A message reports the changes between its token and the
 * next message's token. The last message ends at the position in the table.
 */
export const account = ({ changes, receiver, decode }: Hook, place: Snapshot | undefined): Account => {
  const seen = new Set<string>()
  const first: Arrival[] = []
  const taken = new Map<string, number>()
  for (const arrival of receiver.arrivals) {
    if (!seen.has(arrival.id)) first.push(arrival)
    seen.add(arrival.id)
    if (arrival.accepted && !taken.has(arrival.id)) taken.set(arrival.id, arrival.atMs)
  }
  const bases = [...first.map(({ after }) => decode(after)), place]
  const told = changes.map(({ xid, committedAtMs }) => {
    const index = first.findIndex((_, n) => !shows(bases[n], xid) && shows(bases[n + 1], xid))
    const atMs = taken.get(first[index]?.id ?? '')
    return atMs === undefined ? undefined : Math.max(0, atMs - committedAtMs)
  })
  const isOrdered = bases.every(
    (base, n) => n === 0 || (base !== undefined && base.xmax >= (bases[n - 1]?.xmax ?? 0)),
  )
  return { told, repeated: receiver.arrivals.length - seen.size, isOrdered }
}
