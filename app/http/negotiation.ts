import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import { type Encoding, encodings } from '../cache/encodings.ts'

/** Clients send the same few header values for ever; parsing them is not work for every request. */
const remembered = 256

const memoised = <T extends {}>(parse: (header: string) => T | undefined) => {
  const known = new LRUCache<string, { value: T | undefined }>({ max: remembered })
  return (header: string): T | undefined => {
    let result = known.get(header)
    if (!result) {
      result = { value: parse(header) }
      known.set(header, result)
    }
    return result.value
  }
}

/**
 * Chooses a media type by RFC 9110 §12.5.1; `offered` in order of preference among equals.
 * Undefined: nothing the client would take.
 */
export const createMediaTypeChoice = (offered: readonly string[]) => {
  const choose = memoised((accept) => new Negotiator({ headers: { accept } }).mediaType([...offered]))
  return (accept: string | undefined): string | undefined =>
    accept === undefined ? offered[0] : choose(accept)
}

type Preferring = {
  encoding<T>(available: T[], options: { preferred: T[] }): T | undefined
}

const chooseEncoding = memoised<Encoding | 'identity'>((header) => {
  // The published types end before this option: among equals our order, not the client's.
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header } }) as unknown as Preferring
  return negotiator.encoding([...encodings, 'identity'], { preferred: [...encodings, 'identity'] })
})

/** Chooses a content coding by RFC 9110 §12.5.3; undefined: the body as it is. */
export const findEncoding = (acceptEncoding: string | undefined): Encoding | undefined => {
  if (acceptEncoding === undefined) return undefined
  const chosen = chooseEncoding(acceptEncoding)
  return chosen === 'identity' ? undefined : chosen
}
