import type { PlanLimits } from '../config/config.ts'

/** At most `quota` units in any interval of `windowSeconds`. */
export type Policy = Readonly<{
  name: string
  quota: number
  windowSeconds: number
}>

/** Accounts with the same `tag` are on one node of a Redis Cluster. */
export type AccountName = Readonly<{ tag: string; name: string }>

/** Returns both policies of a plan, in the order of the headers. */
export const planPolicies = ({ burst, minute }: PlanLimits): readonly Policy[] => [
  { name: 'burst', quota: burst, windowSeconds: 1 },
  { name: 'minute', quota: minute, windowSeconds: 60 },
]
