import { hash } from 'node:crypto'
import { createSignedText, type Mac } from '../../config/signed.ts'
import { ApiError, type Fault, invalidQuery } from '../../errors.ts'

export type CursorCodec = {
  /** `selection`: resource, filters and sort in canonical form. `keys`: the last row's, as text. */
  encode(customerId: string, selection: string, keys: readonly string[]): string
  /** Whether we made it for this customer, whatever it belongs to. */
  isGenuine(customerId: string, cursor: string): boolean
  /** The keys, or why the cursor is refused. */
  decode(customerId: string, selection: string, cursor: string): { keys: string[] } | { detail: string }
}

const foreignCursor = 'expected page.next_cursor of an earlier answer, unchanged'
const faultOf = (detail: string): Fault => ({ parameter: 'cursor', code: 'invalid_value', detail })

/** What is wrong with a cursor that is not ours. */
export const foreignCursorFault = faultOf(foreignCursor)

const version = 1
const fingerprintBytes = 8

const fingerprintOf = (selection: string) => hash('sha256', selection, 'buffer').subarray(0, fingerprintBytes)

/**
 * Keyset positions as opaque text: fingerprint of the selection, keys as JSON, signed. Stateless, so a cursor
 * outlives its row, a deploy, and the key that made it as long as that still checks.
 */
export const createCursorCodec = (secrets: Mac): CursorCodec => {
  const signed = createSignedText(secrets, 'cursor', version)
  return {
    encode(customerId, selection, keys) {
      const payload = Buffer.concat([fingerprintOf(selection), Buffer.from(JSON.stringify(keys))])
      return signed.sign(customerId, payload)
    },
    isGenuine: (customerId, cursor) => signed.open(customerId, cursor) !== undefined,
    decode(customerId, selection, cursor) {
      const payload = signed.open(customerId, cursor)
      if (!payload) return { detail: foreignCursor }
      if (!payload.subarray(0, fingerprintBytes).equals(fingerprintOf(selection))) {
        return { detail: 'this cursor belongs to another resource, other filters or another sort' }
      }
      return { keys: JSON.parse(payload.subarray(fingerprintBytes).toString()) as string[] }
    },
  }
}

/** The keys of a cursor that came with a selection; undefined without a cursor. Throws invalid_cursor. */
export const readCursor = (
  cursors: CursorCodec,
  customerId: string,
  selection: string,
  cursor: string | undefined,
): string[] | undefined => {
  if (cursor === undefined) return undefined
  const decoded = cursors.decode(customerId, selection, cursor)
  if ('keys' in decoded) return decoded.keys
  throw new ApiError('invalid_cursor', { detail: decoded.detail, errors: [faultOf(decoded.detail)] })
}

/** Whether a cursor goes with a selection; so does none. */
export const isOfSelection = (
  cursors: CursorCodec,
  customerId: string,
  selection: string,
  cursor: string | undefined,
): boolean => cursor === undefined || 'keys' in cursors.decode(customerId, selection, cursor)

/** A query that was not understood, with its cursor as it came. */
type FaultyQuery = Readonly<{ faults: readonly Fault[]; corrected?: string; cursor?: string }>

/**
 * Returns the refusal of a query with faults, 400 `invalid_query`. A cursor that is not ours is one more. It proposes the
 * corrected query at `address` if the service answers that.
 */
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
