import type { Question } from './ask.ts'

/**
 * Kinds of requests. `cached` and `item` are in memory of both instances. `uncached` is a page that was never
 * requested before. `shared` is the same page at the other instance, which finds it in Redis.
 */
export const kinds = ['cached', 'item', 'uncached', 'shared', 'login', 'changes', 'live'] as const
export type Kind = (typeof kinds)[number]

/** One round of requests to one instance. The next round goes to the other instance. */
const round: readonly Kind[] = [
  'cached',
  'uncached',
  'item',
  'live',
  'cached',
  'shared',
  'login',
  'cached',
  'item',
  'changes',
  'uncached',
  'cached',
]
const firstUncached = round.indexOf('uncached')
export const productCount = 20

export type Credentials = {
  token: string
  /** Several, so that logins stay below the limit of each key. */
  apiKeys: readonly string[]
  /** A position in the change feed. */
  syncToken: string
}

export const getInstance = (n: number): number => Math.floor(n / round.length) % 2

export const getKind = (n: number): Kind => round[n % round.length] as Kind

const cachedPath = '/v1/products?limit=20'
const uncachedPath = (n: number) =>
  `/v1/certificates?limit=20&number%5Bne%5D=x${n}&sort=-created_at&valid_until%5Bgte%5D=2026-01-01`

const paths: Readonly<Record<Exclude<Kind, 'login'>, (n: number, credentials: Credentials) => string>> = {
  cached: () => cachedPath,
  item: (n) => `/v1/products/p${n % productCount}`,
  uncached: uncachedPath,
  shared: (n) => uncachedPath(n - (n % round.length) - round.length + firstUncached),
  changes: (_, { syncToken }) => `/v1/changes?resources=projects&after=${encodeURIComponent(syncToken)}`,
  live: () => '/health/live',
}

export const getQuestion = (n: number, credentials: Credentials): Question => {
  const kind = getKind(n)
  if (kind === 'login') {
    const { apiKeys } = credentials
    const apiKey = apiKeys[Math.floor(n / round.length) % apiKeys.length] ?? ''
    const authorization = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`
    return { method: 'POST', path: '/v1/auth/login', headers: { authorization } }
  }
  const headers = { authorization: `Bearer ${credentials.token}` }
  return { method: 'GET', path: paths[kind](n, credentials), headers }
}

export const isCounted = (kind: Kind): boolean => kind !== 'login' && kind !== 'live'

/** Whether the body of this address never changes during the check. */
export const hasOneBody = (kind: Kind): boolean => kind === 'cached' || kind === 'item'

/** Everything that an instance keeps in memory after the first request. */
export const knownQuestions = (token: string): Question[] => {
  const headers = { authorization: `Bearer ${token}` }
  const items = Array.from({ length: productCount }, (_, n) => `/v1/products/p${n}`)
  return [cachedPath, ...items].map((path) => ({ method: 'GET', path, headers }))
}
