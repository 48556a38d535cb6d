import type { Fault } from './faults.ts'
import type { nemeses } from './nemesis.ts'
import type { TrialOptions } from './trial.ts'

export type NemesisName = keyof typeof nemeses
export type Plan = { fault: Fault; nemesis: NemesisName } & Pick<
  TrialOptions,
  'noCacheShare' | 'requestsPerSecond' | 'onlyAddress'
>

const onlyAddress = '/v1/certificates?scheme=main'

/** Each fault with a nemesis that must reveal it. */
export const plans: readonly Plan[] = [
  { fault: 'fence-off', nemesis: 'none' },
  { fault: 'by-position', nemesis: 'shortOpenWriter' },
  { fault: 'cas-off', nemesis: 'instanceStuttering', noCacheShare: 0.3 },
  { fault: 'lease-off', nemesis: 'pollsUnanswered', onlyAddress },
  { fault: 'floor-off', nemesis: 'instanceKilled', requestsPerSecond: 150 },
  { fault: 'envelope-off', nemesis: 'redisPoisoned' },
  { fault: 'replica-as-primary', nemesis: 'none' },
  { fault: 'trigger-dropped', nemesis: 'none' },
  { fault: 'session-names', nemesis: 'none' },
  { fault: 'poller-frozen', nemesis: 'none', onlyAddress },
]
