import { createHash } from 'node:crypto'

/** What the codec needs of the secrets: macs under a key for this purpose only. */
export type CursorMac = {
  mac(purpose: string, data: Buffer): Buffer
  verifyMac(purpose: string, data: Buffer, mac: Buffer): boolean
}

export type CursorCodec = {
  /** `selection`: resource, filters and sort in canonical form. `keys`: the last row's, as text. */
  encode(customerId: string, selection: string, keys: readonly string[]): string
  /** Whether we made it for this customer, whatever it belongs to. */
  isGenuine(customerId: string, cursor: string): boolean
  /** The keys, or why the cursor is refused. */
  decode(customerId: string, selection: string, cursor: string): { keys: string[] } | { detail: string }
}

/** What is wrong with a cursor that is not ours. */
export const foreignCursor = 'expected page.next_cursor of an earlier answer, unchanged'

const purpose = 'cursor'
const version = 1
const macBytes = 16
const fingerprintBytes = 8
const headBytes = 1 + fingerprintBytes

const fingerprintOf = (selection: string) =>
  createHash('sha256').update(selection).digest().subarray(0, fingerprintBytes)

const signedPart = (customerId: string, payload: Buffer) =>
  Buffer.concat([Buffer.from(`${customerId}\0`), payload])

/**
 * Keyset positions as opaque text: version, fingerprint of the selection, keys as JSON, mac over these
 * and the customer; base64url. Stateless, so a cursor outlives its row, a deploy, and the key that made
 * it as long as that still checks.
 */
export const createCursorCodec = (secrets: CursorMac): CursorCodec => {
  /** What was signed, or undefined. */
  const open = (customerId: string, cursor: string): Buffer | undefined => {
    const bytes = Buffer.from(cursor, 'base64url')
    // Decoding skips what is not base64url: only the canonical text is the cursor.
    if (bytes.length <= headBytes + macBytes || bytes.toString('base64url') !== cursor) return undefined
    const payload = bytes.subarray(0, -macBytes)
    const isOurs = secrets.verifyMac(purpose, signedPart(customerId, payload), bytes.subarray(-macBytes))
    return isOurs && payload[0] === version ? payload : undefined
  }
  return {
    encode(customerId, selection, keys) {
      const head = [Buffer.of(version), fingerprintOf(selection)]
      const payload = Buffer.concat([...head, Buffer.from(JSON.stringify(keys))])
      const mac = secrets.mac(purpose, signedPart(customerId, payload)).subarray(0, macBytes)
      return Buffer.concat([payload, mac]).toString('base64url')
    },
    isGenuine: (customerId, cursor) => open(customerId, cursor) !== undefined,
    decode(customerId, selection, cursor) {
      const payload = open(customerId, cursor)
      if (!payload) return { detail: foreignCursor }
      if (!payload.subarray(1, headBytes).equals(fingerprintOf(selection))) {
        return { detail: 'this cursor belongs to another resource, other filters or another sort' }
      }
      return { keys: JSON.parse(payload.subarray(headBytes).toString()) as string[] }
    },
  }
}
