import { randomInt } from 'node:crypto'
import type { z } from 'zod'
import type { accessRequest, accessRequestAnswer } from '../../../schemas/access-requests.ts'
import type { LimitsConfig } from '../../config/config.ts'
import { dayMs } from '../../config/units.ts'
import type { QueuedDb } from '../../db/connect.ts'
import type { AccountDeps } from '../../limits/account.ts'
import { createTurn, toQueueOwner } from '../../limits/address.ts'
import { createCount } from '../../limits/limiter.ts'
import { addAccessRequest } from './store.ts'

type AccessRequestsOptions = Omit<AccountDeps, 'now'> & {
  db: QueuedDb
  limits: Pick<LimitsConfig, 'accessRequests'>
  now: () => number
  monotonicNow: () => number
  holidays: ReadonlySet<string>
}

/** Access requests of people without a key. Never reads customers, so it cannot reveal them. */
export type AccessRequests = {
  /** Counts an attempt. Rejects with quota_exceeded. */
  admit(ip: string): Promise<void>
  /** Stores an admitted request. Rejects with quota_exceeded if too many were stored in the last hour. */
  submit(request: z.output<typeof accessRequest>, ip: string): Promise<z.output<typeof accessRequestAnswer>>
}

const windowSeconds = 3_600
/** Hourly requests of a /48 network, as a multiple of one client's quota. */
const siteFactor = 4
/** Hourly stored requests in total, in the same unit: by default, at most 72,000 are kept in 30 days. */
const totalFactor = 20
const maxAccounts = 10_000

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
const createId = () => Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)]).join('')

const toInstant = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')

const isBusinessDay = (day: number, holidays: ReadonlySet<string>): boolean => {
  const date = new Date(day * dayMs)
  const weekday = date.getUTCDay()
  return weekday !== 0 && weekday !== 6 && !holidays.has(date.toISOString().slice(0, 10))
}

/** Adds 24 hours without weekends and `holidays` (YYYY-MM-DD, UTC): Friday 15:00 is due on Monday 15:00. */
export const dueAfterBusinessDay = (receivedMs: number, holidays: ReadonlySet<string>): number => {
  let leftMs = dayMs
  for (let day = Math.floor(receivedMs / dayMs); ; day++) {
    if (!isBusinessDay(day, holidays)) continue
    const fromMs = Math.max(receivedMs, day * dayMs)
    const untilMs = (day + 1) * dayMs
    if (fromMs + leftMs <= untilMs) return fromMs + leftMs
    leftMs -= untilMs - fromMs
  }
}

/** Attempts count against the quotas of network and site, stored requests against the total. */
export const createAccessRequests = (options: AccessRequestsOptions): AccessRequests => {
  const { db, limits, now, monotonicNow, store, after, holidays } = options
  const counting = { store, after, now: monotonicNow, maxAccounts }
  const count = (factor: number) => {
    const { take } = createCount(counting, 'access_requests', factor * limits.accessRequests, windowSeconds)
    return (tag: string) => take({ tag: `access:${tag}`, name: '' })
  }
  const [countNetwork, countSite, countTotal] = [count(1), count(siteFactor), count(totalFactor)]

  return {
    async admit(ip) {
      const { network, site } = toQueueOwner(ip)
      await countNetwork(network)
      if (site !== network) await countSite(site)
    },
    async submit({ consent: _, ...request }, ip) {
      await countTotal('total')
      const id = createId()
      const due_at = toInstant(dueAfterBusinessDay(now(), holidays))
      await createTurn(db, ip)(() => addAccessRequest(db, { id, dueAt: due_at, ...request }))
      return { id, due_at }
    },
  }
}
