import { wildcard } from '../../cache/stamped.ts'
import type { Claim, LeasedWebhook } from './lease.ts'

/** Many, because a receiver that hangs takes a place for ten seconds. */
const mostAtOnce = 200
/** The other places are for receivers that work. */
const mostFailing = 100
const claimedAtOnce = 10

type Job = { customer: string; isFailing: boolean; isChanged: boolean; done: Promise<void> }

/** Creates the set of webhooks in progress. Calls `onChanged` when one ends whose customer `noteChanged` has named. */
export const createRunning = (onChanged: (customer: string) => void) => {
  const jobs = new Map<string, Job>()
  const listEnds = () => [...jobs.values()].map(({ done }) => done)
  return {
    ids: () => [...jobs.keys()],
    /** Waits until at least one webhook may start. */
    async findPlaces(): Promise<Pick<Claim, 'most' | 'withFailing'>> {
      while (jobs.size >= mostAtOnce) await Promise.race(listEnds())
      const failing = [...jobs.values()].filter(({ isFailing }) => isFailing).length
      return { most: Math.min(claimedAtOnce, mostAtOnce - jobs.size), withFailing: failing < mostFailing }
    },
    /** Takes a place until `work` ends, which must never reject. */
    begin(
      { webhook_id: id, customer_id: customer, failing_since }: LeasedWebhook,
      work: Promise<void>,
    ): void {
      const done = work.then(() => {
        jobs.delete(id)
        if (job.isChanged) onChanged(customer)
      })
      const job = { customer, isFailing: failing_since !== null, isChanged: false, done }
      jobs.set(id, job)
    },
    noteChanged(customers: ReadonlySet<string>): void {
      for (const job of jobs.values()) {
        if (customers.has(job.customer) || customers.has(wildcard)) job.isChanged = true
      }
    },
    end: () => Promise.all(listEnds()),
  }
}
