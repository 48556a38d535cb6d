import { hash } from 'node:crypto'
import { createSignedText, type Mac } from '../../config/signed.ts'
import { ApiError, type Fault, invalidQuery } from '../../errors.ts'
import { compact, expand } from '../../http/compact.ts'
import type { FaultyQuery } from './parameters.ts'

export type CursorCodec = {
  /** `selection`: canonical text, which `decode` compares. `keys`: position of the page's last row. */
  encode(customerId: string, selection: string, keys: readonly string[]): string
  /** Whether the service issued the cursor to this customer. */
  isGenuine(customerId: string, cursor: string): boolean
  decode(customerId: string, selection: string, cursor: string): { keys: string[] } | { detail: string }
}

const foreignCursor = 'expected page.next_cursor of an earlier answer, unchanged'
const toFault = (detail: string): Fault => ({ parameter: 'cursor', code: 'invalid_value', detail })

const foreignCursorFault = toFault(foreignCursor)

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

/** Returns the keys of a cursor, or `undefined` without a cursor. Throws invalid_cursor. */
export const readCursor = (
  cursors: CursorCodec,
  customerId: string,
  selection: string,
  cursor: string | undefined,
): string[] | undefined => {
  if (cursor === undefined) return undefined
  const decoded = cursors.decode(customerId, selection, cursor)
  if ('keys' in decoded) return decoded.keys
  throw new ApiError('invalid_cursor', { detail: decoded.detail, errors: [toFault(decoded.detail)] })
}

/** Whether `readCursor` would accept the cursor. */
export const isOfSelection = (
  cursors: CursorCodec,
  customerId: string,
  selection: string,
  cursor: string | undefined,
): boolean => cursor === undefined || 'keys' in cursors.decode(customerId, selection, cursor)

/** Returns 400 `invalid_query`. A forged cursor is one more fault. `try` is set only if `isAnswerable`. */
export const refuseQuery = (
  cursors: CursorCodec,
  customerId: string,
  { faults, corrected, cursor }: FaultyQuery,
  address: string,
  isAnswerable: (corrected: string) => boolean,
): ApiError => {
  const isForeign = cursor !== undefined && !cursors.isGenuine(customerId, cursor)
  const isGood = corrected !== undefined && !isForeign && isAnswerable(corrected)
  return invalidQuery(
    isForeign ? [...faults, foreignCursorFault] : faults,
    isGood ? `${address}?${corrected}` : undefined,
  )
}
