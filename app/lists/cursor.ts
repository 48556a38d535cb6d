import { hash } from 'node:crypto'
import { createSignedText, type Mac } from '../config/signed.ts'
import type { Fault } from '../errors.ts'
import { compact, expand } from '../http/compact.ts'
import { formatPairs } from '../http/pairs.ts'

export type CursorCodec = {
  /** `selection`: canonical text, which `decode` compares. `keys`: position of the page's last row. */
  encode(customerId: string, selection: string, keys: readonly string[]): string
  /** Whether the service issued the cursor to this customer. */
  isGenuine(customerId: string, cursor: string): boolean
  decode(customerId: string, selection: string, cursor: string): { keys: string[] } | { detail: string }
}

const foreignCursor = 'expected page.next_cursor of an earlier answer, unchanged'

/** Returns the fault of a cursor that `decode` does not accept. */
export const toCursorFault = (detail = foreignCursor): Fault => ({
  parameter: 'cursor',
  code: 'invalid_value',
  detail,
})

const version = 2
const fingerprintBytes = 8

const computeFingerprint = (selection: string) =>
  hash('sha256', selection, 'buffer').subarray(0, fingerprintBytes)

/** Encodes keyset positions as signed texts. Without state, a cursor survives deploys and its row's deletion. */
export const createCursorCodec = (secrets: Mac): CursorCodec => {
  const signed = createSignedText(secrets, 'cursor', version)
  return {
    encode(customerId, selection, keys) {
      const payload = Buffer.concat([computeFingerprint(selection), compact(JSON.stringify(keys))])
      return signed.sign(customerId, payload)
    },
    isGenuine: (customerId, cursor) => signed.open(customerId, cursor) !== undefined,
    decode(customerId, selection, cursor) {
      const payload = signed.open(customerId, cursor)
      if (!payload) return { detail: foreignCursor }
      if (!payload.subarray(0, fingerprintBytes).equals(computeFingerprint(selection))) {
        return { detail: 'this cursor belongs to another resource, other filters or another sort' }
      }
      return { keys: JSON.parse(expand(payload.subarray(fingerprintBytes))) as string[] }
    },
  }
}

/** Returns the query string of another page. `list`: the canonical query string without a cursor. */
export const withCursor = (list: string, cursor: string): string => {
  const position = formatPairs([['cursor', cursor]])
  return list === '' ? position : `${list}&${position}`
}
