import { splitTarget } from '../http/pairs.ts'

/** Makes MACs under the service's key; see auth/secrets.ts. */
type Mac = { mac(purpose: string, data: string): Buffer }

const purpose = 'audit-query'
/** 72 bits: queries of one customer do not meet by chance. */
const keptBytes = 9
/** A path in the contract's one form: the others answer the same. */
export const canonicalPath = (path: string): string => path.replace(/^(?:\/webapi\/v1\/api\.php|\/v1)?\//, '')

/** A cursor, or a sync token of the feed, is a place in an answer and not another question. */
const isPlace = (path: string, pair: string): boolean =>
  pair.startsWith('cursor=') ||
  (pair.startsWith('after=') && pair !== 'after=snapshot' && path.endsWith('/changes'))

/** Returns a target without its cursor or sync token, so that all pages of an answer are one question. */
export const withoutPlace = (target: string): string => {
  if (!target.includes('cursor=') && !target.includes('after=')) return target
  const { path, rawQuery } = splitTarget(target)
  const kept = rawQuery.split('&').filter((pair) => !isPlace(path, pair))
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`
}

/**
 * Returns a keyed hash of a question. It does not depend on the order of parameters or on the page. Without
 * SECRET_KEY it reveals no value, not even ids in the path.
 */
export const fingerprintQuery = (secrets: Mac, target: string): string => {
  const { path, rawQuery } = splitTarget(withoutPlace(target))
  const pairs = rawQuery === '' ? [] : rawQuery.split('&')
  const question = [canonicalPath(path), ...pairs.sort()].join('\n')
  return secrets.mac(purpose, question).subarray(0, keptBytes).toString('base64url')
}
