import { setTimeout as delay } from 'node:timers/promises'
import { requestText } from '../lib/client.ts'
import type { World } from '../lib/world.ts'

type Asker = World['crowd'][number]

const codings = ['identity', 'gzip', 'br']
const lists = ['certificates', 'products', 'approvals', 'countries']
const onlyOnce = 10
const known = 7

/**
 * Creates the n-th request of a mixed crowd. Of ten requests, seven are repeated often. Two come from
 * thousands of different requests that fill the cache and evict each other. One is never repeated.
 */
export const createRequests = (crowd: readonly Asker[]) => {
  const tags = new Map<string, string>()
  const getPath = (n: number, random: () => number): string => {
    const kind = n % onlyOnce
    if (kind < known) {
      const list = lists[Math.floor(random() ** 3 * lists.length)] as string
      if (kind === 0) return '/v1/custom/dashboard-overview'
      if (kind === 1) return `/v1/certificates/crt-${1 + Math.floor(random() ** 2 * 200)}`
      return `/v1/${list}?limit=${kind < 5 ? 50 : 20}`
    }
    if (kind < onlyOnce - 1) {
      const days = 1 + Math.floor(random() * 365)
      return `/v1/certificates?limit=50&expiring_within=${days}&include=product`
    }
    return `/v1/certificates?limit=50&created_at[lt]=2200-01-01T00:00:00.${String(n % 1_000_000).padStart(6, '0')}Z`
  }
  const asked = new Map<number, string>()
  return {
    make(n: number): string {
      const { token, customerId } = crowd[Math.floor(Math.random() ** 2 * crowd.length)] as Asker
      const path = getPath(n, Math.random)
      const name = `${customerId} ${path}`
      const coding = codings[n % codings.length] as string
      // Every fourth request sends If-None-Match, if its ETag is known.
      const tag = n % 4 === 0 ? tags.get(name) : undefined
      asked.set(n, name)
      return requestText(path, {
        authorization: `Bearer ${token}`,
        'accept-encoding': coding,
        ...(tag ? { 'if-none-match': tag } : {}),
      })
    },
    note(n: number, head: string): void {
      const name = asked.get(n) as string
      asked.delete(n)
      const tag = /\r\netag: (\S+)/i.exec(head)?.[1]
      // Bounded to 5,000 ETags, as a few clients would keep.
      if (tag && (tags.has(name) || tags.size < 5_000)) tags.set(name, tag)
    },
  }
}

/** Starts writes, logins, exports and followers of the feed. Returns a function that stops them. */
export const startOthers = (world: World, writesPerSecond: number): (() => Promise<{ failed: number }>) => {
  const { service, crowd, write, logIn } = world
  const end = new AbortController()
  let failed = 0
  const getAny = () => crowd[Math.floor(Math.random() * crowd.length)] as Asker
  const repeat = async (everyMs: number, work: () => Promise<unknown>) => {
    while (!end.signal.aborted) {
      await work().catch(() => {
        if (!end.signal.aborted) failed += 1
      })
      await delay(everyMs, undefined, { signal: end.signal }).catch(() => {})
    }
  }
  const get = async (path: string, { token }: Asker) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(service.url + path, { headers, signal: end.signal })
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    return answer
  }
  const exportAll = async () => {
    const format = Math.random() < 0.5 ? 'ndjson' : 'csv'
    const answer = await get(`/v1/certificates?format=${format}`, getAny())
    for await (const _ of answer.body ?? []);
  }
  const follower = () => {
    const customer = getAny()
    let after = ''
    return async () => {
      const answer = await get(`/v1/changes?limit=500&wait=2${after && `&after=${after}`}`, customer)
      const { page } = (await answer.json()) as { page: { next_token: string } }
      after = page.next_token
    }
  }
  const running = [
    repeat(1000 / writesPerSecond, () => write(getAny().customerId)),
    repeat(1_000, () => logIn(getAny().customerId)),
    repeat(2_000, exportAll),
    repeat(10, follower()),
    repeat(10, follower()),
  ]
  return async () => {
    end.abort()
    await Promise.all(running)
    return { failed }
  }
}
