import { splitTarget } from '../http/pairs.ts'

type Mac = { mac(purpose: string, data: string): Buffer }

const purpose = 'audit-query'
/** 72 bits: queries of one customer do not collide by chance. */
const keptBytes = 9
/** Removes the prefix, because all forms of a path have the same answer. */
export const canonicalPath = (path: string): string => path.replace(/^(?:\/webapi\/v1\/api\.php|\/v1)?\//, '')

/** A cursor or sync token is not another question. */
const isPlace = (path: string, pair: string): boolean =>
  pair.startsWith('cursor=') ||
  (pair.startsWith('after=') && pair !== 'after=snapshot' && path.endsWith('/changes'))

/** Removes the cursor or sync token: all pages of an answer are one question. */
export const withoutPlace = (target: string): string => {
  if (!target.includes('cursor=') && !target.includes('after=')) return target
  const { path, rawQuery } = splitTarget(target)
  const kept = rawQuery.split('&').filter((pair) => !isPlace(path, pair))
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`
}

/** Returns a keyed hash of a question, independent of the page and of the order of parameters. */
export const fingerprintQuery = (secrets: Mac, target: string): string => {
  const { path, rawQuery } = splitTarget(withoutPlace(target))
  const pairs = rawQuery === '' ? [] : rawQuery.split('&')
  const question = [canonicalPath(path), ...pairs.sort()].join('\n')
  return secrets.mac(purpose, question).subarray(0, keptBytes).toString('base64url')
}
