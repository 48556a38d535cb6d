import type { PlanLimits } from '../config/config.ts'

/** A quota: at most so many units in any stretch of time as long as the window. */
export type Policy = Readonly<{
  /** As clients see it, and part of the store's keys. */
  name: string
  quota: number
  windowSeconds: number
}>

/** Who is counted. Accounts with one `tag` lie on one node of a Redis Cluster. */
export type AccountName = Readonly<{ tag: string; name: string }>

/** Both policies of a plan, in the order of the headers. */
export const planPolicies = ({ burst, minute }: PlanLimits): readonly Policy[] => [
  { name: 'burst', quota: burst, windowSeconds: 1 },
  { name: 'minute', quota: minute, windowSeconds: 60 },
]
