/** A quota: at most so many units in any stretch of time as long as the window. */
export type Policy = Readonly<{
  /** As clients see it, and part of the store's keys. */
  name: string
  quota: number
  windowSeconds: number
}>

/** Units in one second and in 60. */
export type PlanLimits = Readonly<{ burst: number; minute: number }>

/** What is configured. */
export type LimitsConfig = Readonly<{
  premium: PlanLimits
  enterprise: PlanLimits
  /** Per client address. */
  demo: PlanLimits
  /** Per key and minute. */
  logins: number
  /** Per client address and key, and minute. */
  failedLogins: number
  /** Per client address and hour. */
  accessRequests: number
}>

/** Who is counted. Accounts with one `tag` lie on one node of a Redis Cluster. */
export type AccountName = Readonly<{ tag: string; name: string }>

/** Both policies of a plan, in the order of the headers. */
export const planPolicies = ({ burst, minute }: PlanLimits): readonly Policy[] => [
  { name: 'burst', quota: burst, windowSeconds: 1 },
  { name: 'minute', quota: minute, windowSeconds: 60 },
]
