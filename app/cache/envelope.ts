import type { Secrets } from '../config/secrets.ts'
import type { StoredEntry } from './entry.ts'
import { parseSnapshot, rankSnapshot } from './snapshot.ts'

export type EnvelopeMac = Pick<Secrets, 'mac' | 'verifyMac'>

const macBytes = 32
const lengthBytes = 4
const purpose = 'cache-envelope'

/** The rank comes first, so that the script in Redis can compare it. */
export const rankBytes = 25

type Head = Pick<
  StoredEntry,
  'customerId' | 'key' | 'epoch' | 'etag' | 'isAbsent' | 'at' | 'next' | 'rows' | 'definition'
> & {
  snapshot: string
  ceiling?: number | undefined
}

/** Layout: rank, length of the head (4 bytes, big endian), head as JSON, body, MAC of the name and all these. */
export const signEnvelope = (name: string, entry: StoredEntry, secrets: EnvelopeMac): Buffer => {
  const { customerId, key, epoch, snapshot, etag, isAbsent, at, next, rows, definition } = entry
  const stamp = { customerId, key, epoch, snapshot: snapshot.text, ceiling: snapshot.ceiling }
  const fields: Head = { ...stamp, etag, isAbsent, at, next, rows, definition }
  const head = Buffer.from(JSON.stringify(fields))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(head.length)
  const rank = Buffer.from(rankSnapshot(snapshot))
  const nameBytes = Buffer.from(name)
  // One buffer from name to MAC, so that a body of a megabyte is copied once.
  const signed = Buffer.concat([nameBytes, rank, length, head, entry.body, Buffer.alloc(macBytes)])
  const mac = secrets.mac(purpose, signed.subarray(0, -macBytes))
  mac.copy(signed, signed.length - macBytes)
  return signed.subarray(nameBytes.length)
}

/** Returns the entry, or `undefined` unless this service signed the envelope under the same name. */
export const openEnvelope = (
  name: string,
  sealed: Buffer,
  secrets: EnvelopeMac,
): Omit<StoredEntry, 'dependsOn'> | undefined => {
  if (sealed.length < rankBytes + lengthBytes + macBytes) return undefined
  const content = sealed.subarray(0, -macBytes)
  const mac = sealed.subarray(-macBytes)
  if (!secrets.verifyMac(purpose, [Buffer.from(name), content], mac)) return undefined
  const headStart = rankBytes + lengthBytes
  const headEnd = headStart + content.readUInt32BE(rankBytes)
  const { ceiling, ...head } = JSON.parse(content.subarray(headStart, headEnd).toString()) as Head
  const snapshot = parseSnapshot(head.snapshot)
  return {
    ...head,
    snapshot: ceiling === undefined ? snapshot : { ...snapshot, ceiling },
    body: content.subarray(headEnd),
    encoded: new Map(),
  }
}
