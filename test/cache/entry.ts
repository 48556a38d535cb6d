import { type CacheEntry, createEtag } from '../../app/cache/entry.ts'
import { parseSnapshot } from '../../app/cache/snapshot.ts'

export const createEntry = (text: string, fields: Partial<CacheEntry> = {}): CacheEntry => {
  const body = Buffer.from(text)
  return {
    customerId: 'acme',
    key: 'k',
    dependsOn: ['products'],
    snapshot: parseSnapshot('1:1:'),
    epoch: 'e',
    isAbsent: false,
    body,
    etag: createEtag('application/json', body),
    encoded: new Map(),
    fill: () => Promise.reject(new Error('no fill')),
    ...fields,
  }
}
