import { every } from '../../cache/stamped.ts'
import type { Claim, HeldWebhook } from './lease.ts'

/** A receiver that hangs occupies a place for ten seconds. */
const mostAtOnce = 200
/** Failing receivers leave places for the others. */
const mostFailing = 100
const claimedAtOnce = 10

export type Running = {
  ids(): string[]
  /** Waits until a place is free. `most`: webhooks that may start. */
  findPlaces(): Promise<Pick<Claim, 'most' | 'withFailing'>>
  /** Occupies a place until `work` ends. `work` must never reject. */
  begin(hook: HeldWebhook, work: Promise<void>): void
  noteChanged(customers: ReadonlySet<string>): void
  end(): Promise<void>
}

type Job = { customer: string; isFailing: boolean; isChanged: boolean; done: Promise<void> }

/**
 * Creates the set of running webhooks. `onChanged`: work ended during which `noteChanged` named the customer.
 */
export const createRunning = (onChanged: (customer: string) => void): Running => {
  const jobs = new Map<string, Job>()
  const listEnds = () => [...jobs.values()].map(({ done }) => done)
  return {
    ids: () => [...jobs.keys()],
    async findPlaces() {
      while (jobs.size >= mostAtOnce) await Promise.race(listEnds())
      const failing = [...jobs.values()].filter(({ isFailing }) => isFailing).length
      return { most: Math.min(claimedAtOnce, mostAtOnce - jobs.size), withFailing: failing < mostFailing }
    },
    begin({ webhook_id: id, customer_id: customer, failing_since }, work) {
      const done = work.then(() => {
        jobs.delete(id)
        if (job.isChanged) onChanged(customer)
      })
      const job = { customer, isFailing: failing_since !== null, isChanged: false, done }
      jobs.set(id, job)
    },
    noteChanged(customers) {
      for (const job of jobs.values()) {
        if (customers.has(job.customer) || customers.has(every)) job.isChanged = true
      }
    },
    async end() {
      await Promise.all(listEnds())
    },
  }
}
