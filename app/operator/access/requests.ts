import { randomInt } from 'node:crypto'
import type { z } from 'zod'
import type { accessRequest, accessRequestAnswer } from '../../../schemas/access-request.ts'
import type { LimitsConfig } from '../../config/config.ts'
import type { Db } from '../../db/schema.ts'
import type { AccountDeps } from '../../limits/account.ts'
import { createTurn, toQueueOwner } from '../../limits/address.ts'
import { createLimiter } from '../../limits/limiter.ts'
import { refuseQuota } from '../../limits/meters.ts'
import type { Policy } from '../../limits/policy.ts'
import { dueAfterBusinessDay } from './due.ts'
import { addAccessRequest, countOverdueRequests, deleteOldRequests } from './store.ts'

type AccessRequestsOptions = Omit<AccountDeps, 'onUnsettled' | 'now'> & {
  /** Connections of the serving role. */
  db: Db
  limits: Pick<LimitsConfig, 'accessRequests'>
  /** Milliseconds since 1970: from when the due time counts. */
  now: () => number
  /** Milliseconds that never go back: the limit's window. */
  monotonicNow: () => number
  /** Dates, YYYY-MM-DD. */
  holidays: ReadonlySet<string>
  /** Days for which a request is kept once it is decided, or came and was not. */
  keptDays: number
}

/** What strangers ask of the operator. Nothing here looks at who is a customer, so nothing can tell. */
export type AccessRequests = {
  /** Takes one request of the quotas of the client's network and site. Rejects with quota_exceeded. */
  admit(ip: string): Promise<void>
  /**
   * Stores an admitted request, in a turn of the client's network. Rejects with quota_exceeded if too many were stored
   * in the last hour, with 503 and with the driver's errors.
   */
  submit(request: z.output<typeof accessRequest>, ip: string): Promise<z.output<typeof accessRequestAnswer>>
  /** Deletes requests that are too old, and returns their number. Any instance may call it. */
  deleteOld(): Promise<number>
  /** Open requests whose time is over: a figure to watch. */
  countOverdue(): Promise<number>
}

const windowSeconds = 3_600
/** Requests of a /48 network in an hour, as a multiple of those of one client. */
const siteFactor = 4
/**
 * Stored requests in an hour in all, as a multiple of those of one client. Networks are cheap for a stranger, disks are
 * not: with 5 for a client and 30 days, at most 72,000 requests are kept.
 */
const totalFactor = 20
const maxAccounts = 10_000

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
/** 16 of 36 are 82 bits: nobody meets another's id by chance. */
const createId = () => Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)]).join('')

/** RFC 3339 in UTC with six decimals. */
const instantOf = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')

/**
 * Access requests without HTTP. Each attempt counts against the client's network and site, also one with a refused body.
 * Only requests that are stored count against the total.
 */
export const createAccessRequests = (options: AccessRequestsOptions): AccessRequests => {
  const { db, limits, now, monotonicNow, store, after, holidays, keptDays } = options
  const addresses = createLimiter({ store, after, now: monotonicNow, maxAccounts })
  const count = (factor: number) => {
    const quota = factor * limits.accessRequests
    const policies: readonly Policy[] = [{ name: 'access_requests', quota, windowSeconds }]
    return async (tag: string) => {
      const admission = await addresses.account({ tag: `access:${tag}`, name: '' }, policies).take([1])
      if (admission.violated.length > 0) throw refuseQuota(admission)
    }
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
      const due_at = instantOf(dueAfterBusinessDay(now(), holidays))
      await createTurn(db, ip)(() => addAccessRequest(db, { id, dueAt: due_at, ...request }))
      return { id, due_at }
    },
    deleteOld: () => deleteOldRequests(db, keptDays, 'system'),
    countOverdue: () => countOverdueRequests(db),
  }
}
