import { splitTarget } from '../http/pairs.ts'

type Mac = { mac(purpose: string, data: string): Buffer }

const purpose = 'audit-query'
/** 72 bits, enough to distinguish the queries of one customer. */
const keptBytes = 9
/** Removes the prefix: `/v1/lab`, `/webapi/v1/api.php/lab` and `/lab` become `lab`. */
export const canonicalPath = (path: string): string => path.replace(/^(?:\/webapi\/v1\/api\.php|\/v1)?\//, '')

const isSyncToken = (pair: string): boolean =>
  pair.startsWith('lastEventId=') || (pair.startsWith('after=') && pair !== 'after=snapshot')

const isCursor = (path: string, pair: string): boolean =>
  pair.startsWith('cursor=') || (path.endsWith('/changes') && isSyncToken(pair))

/** Removes the cursor or sync token, because all pages of a list count as one query. */
export const withoutCursor = (target: string): string => {
  if (!/cursor=|after=|lastEventId=/.test(target)) return target
  const { path, rawQuery } = splitTarget(target)
  const kept = rawQuery.split('&').filter((pair) => !isCursor(path, pair))
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`
}

/** A keyed hash of a query, independent of page and order of parameters. The values cannot be guessed from it. */
export const fingerprintQuery = (secrets: Mac, target: string): string => {
  const { path, rawQuery } = splitTarget(withoutCursor(target))
  const pairs = rawQuery === '' ? [] : rawQuery.split('&')
  const text = [canonicalPath(path), ...pairs.sort()].join('\n')
  return secrets.mac(purpose, text).subarray(0, keptBytes).toString('base64url')
}
