import pLimit from 'p-limit'
import { wildcard } from '../../cache/stamped.ts'
import type { Claim, LeasedWebhook } from './lease.ts'

/** Many, because a receiver that hangs takes a place for ten seconds. */
const maxJobs = 200
/** The other places are for receivers that work. */
const mostFailing = 100
const maxClaimed = 10

type Job = { customer: string; isFailing: boolean; isChanged: boolean; done: Promise<void> }

type RoundsOptions = {
  claim: (claim: Pick<Claim, 'changed' | 'busy' | 'most' | 'withFailing'>) => Promise<LeasedWebhook[]>
  /** Sends the webhook's messages. Must never reject. */
  work: (hook: LeasedWebhook) => Promise<void>
  onFailure: (error: Error) => void
  stopping: AbortSignal
  now: () => number
}

/** Works on webhooks of wanted customers (`*`: all), one round of claims at a time, without retries. */
export const createRounds = ({ claim, work, onFailure, stopping, now }: RoundsOptions) => {
  const jobs = new Map<string, Job>()
  const oneAtATime = pLimit(1)
  let wanted = new Set<string>()
  let checkedAt: number | undefined
  const listEnds = () => [...jobs.values()].map(({ done }) => done)

  const findPlaces = async () => {
    while (jobs.size >= maxJobs) await Promise.race(listEnds())
    const failing = [...jobs.values()].filter(({ isFailing }) => isFailing).length
    return { most: Math.min(maxClaimed, maxJobs - jobs.size), withFailing: failing < mostFailing }
  }

  const begin = (hook: LeasedWebhook): void => {
    const { webhook_id: id, customer_id: customer, failing_since } = hook
    const done = work(hook).then(() => {
      jobs.delete(id)
      if (job.isChanged) startRound([customer])
    })
    const job = { customer, isFailing: failing_since !== null, isChanged: false, done }
    jobs.set(id, job)
  }

  const round = async (): Promise<void> => {
    const changed = wanted.has(wildcard) ? undefined : [...wanted]
    wanted = new Set()
    // Each webhook at most once: during a long transaction, the database reports sent changes as new.
    const begun: string[] = []
    for (;;) {
      const places = await findPlaces()
      if (stopping.aborted) return
      const hooks = await claim({ changed, busy: [...jobs.keys(), ...begun], ...places })
      for (const hook of hooks) {
        begun.push(hook.webhook_id)
        begin(hook)
      }
      if (hooks.length < places.most) break
    }
    if (!changed) checkedAt = now()
  }

  const startRound = (customers: readonly string[]): void => {
    for (const name of customers) wanted.add(name)
    if (wanted.size > 0 && oneAtATime.pendingCount === 0) void oneAtATime(round).catch(onFailure)
  }

  return {
    /** Checks these customers' webhooks in the next round, and busy ones again when their work ends. */
    want(customers: readonly string[]): void {
      for (const job of jobs.values())
        job.isChanged ||= customers.includes(job.customer) || customers.includes(wildcard)
      startRound(customers)
    },
    listBusy: () => [...jobs.keys()],
    /** Milliseconds since 1970. `undefined` before the first check of all webhooks. */
    checkedAt: () => checkedAt,
    async end(): Promise<void> {
      await oneAtATime(async () => {})
      await Promise.all(listEnds())
    },
  }
}
