/** What the router found out about a target of a customer when it answered it last. */
export type Ticket = Readonly<{
  /** `entryName` of what answers it. */
  name: string
  /** The route's pattern. */
  route: string
  /** Which endpoint, where the pattern stands for several. */
  endpoint: string | undefined
  /** All that the target needs. */
  scopes: readonly string[]
  /** The day it was judged on: dates of the query and of computed fields are another day's tomorrow. */
  day: string
  /** Whether a client that sends this `Accept` takes the answer. */
  isAcceptable: (accept: string | undefined) => boolean
  /** Link of an entry, by the path and query of its next page; undefined: none. */
  linkOf: (next: string | undefined) => string | undefined
}>

export type Tickets = {
  find(customerId: string, target: string): Ticket | undefined
  add(customerId: string, target: string, ticket: Ticket): void
}

/** About 0.7 kB each with their target: 7 MB. */
const maxTickets = 10_000
/** Nobody asks the same long question often enough for it to matter. */
const longestTarget = 1024

/** Bounded: when it is full it begins anew, because what is asked often is soon there again. */
export const createTickets = (max = maxTickets): Tickets => {
  let customers = new Map<string, Map<string, Ticket>>()
  let size = 0
  return {
    find: (customerId, target) => customers.get(customerId)?.get(target),
    add(customerId, target, ticket) {
      if (target.length > longestTarget) return
      if (size >= max) {
        customers = new Map()
        size = 0
      }
      let targets = customers.get(customerId)
      if (!targets) {
        targets = new Map()
        customers.set(customerId, targets)
      }
      if (!targets.has(target)) size += 1
      targets.set(target, ticket)
    },
  }
}
