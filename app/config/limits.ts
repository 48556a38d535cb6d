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
  /** Per key and minute. */
  introspections: number
  /** Per client address and key, and minute. */
  revocations: number
  /** Per client address and hour. */
  accessRequests: number
}>
