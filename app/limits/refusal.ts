import { ApiError } from '../errors.ts'
import type { Admission } from './meters.ts'

/** 429 `quota_exceeded` with `Retry-After` and the violated policies. */
export const refuseQuota = ({ violated, retryAfterSeconds }: Admission): ApiError =>
  new ApiError('quota_exceeded', {
    detail: `Quota exceeded: no units left of ${violated.join(' and ')}. Try again in ${retryAfterSeconds} s`,
    violatedPolicies: violated,
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
