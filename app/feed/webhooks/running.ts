import { every } from '../../cache/stamped.ts'
import type { Claim, HeldWebhook } from './lease.ts'

/** Messages on their way at once: a receiver that hangs keeps one of these places for ten seconds. */
const mostAtOnce = 200
/** Of these to receivers that did not take their last message, so that they leave places to the others. */
const mostFailing = 100
const claimedAtOnce = 10

/** What an instance sends now, by webhook. */
export type Running = {
  ids(): string[]
  /** How many may begin, and whether of those that fail, too. Waits until a place is free. */
  findPlaces(): Promise<Pick<Claim, 'most' | 'withFailing'>>
  /** Keeps a place until the work ends, which never rejects. */
  begin(hook: HeldWebhook, work: Promise<void>): void
  /** Something of these customers changed, which the work may not have seen. */
  noteChanged(customers: ReadonlySet<string>): void
  /** Resolves when all that runs now has ended. */
  end(): Promise<void>
}

type Job = { customer: string; isFailing: boolean; isChanged: boolean; done: Promise<void> }

/** `onChanged`: told of the customer when work ends during which something changed. */
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
