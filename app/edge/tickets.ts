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

/** Bytes of tickets kept, with their targets: 10,000 tickets with targets of 100 bytes. */
const maxBytes = 7_000_000
/** Bytes of a ticket without its target. */
export const ticketBytes = 600
/** Nobody asks the same long question often enough for it to matter. */
const longestTarget = 1024

type Targets = Map<string, Ticket>

/**
 * Makes a bounded memory of tickets in two halves. A ticket that is used moves to the younger half. When the
 * younger half is full, the older one is dropped. Dropping everything at once would send every target through the
 * router again.
 */
export const createTickets = (max = maxBytes): Tickets => {
  let older = new Map<string, Targets>()
  let younger = new Map<string, Targets>()
  let size = 0
  const add: Tickets['add'] = (customerId, target, ticket) => {
    if (target.length > longestTarget) return
    if (size >= max / 2) {
      older = younger
      younger = new Map()
      size = 0
    }
    let targets = younger.get(customerId)
    if (!targets) {
      targets = new Map()
      younger.set(customerId, targets)
    }
    if (!targets.has(target)) size += ticketBytes + target.length
    targets.set(target, ticket)
  }
  return {
    find(customerId, target) {
      const known = younger.get(customerId)?.get(target)
      if (known) return known
      const former = older.get(customerId)?.get(target)
      if (former) add(customerId, target, former)
      return former
    },
    add,
  }
}
