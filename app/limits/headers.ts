import type { Use } from './meters.ts'
import type { Policy } from './policy.ts'

// draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4: lists of strings with parameters (RFC 9651).
// Policy names are constants of the code and need no escapes.

const policyHeaders = new WeakMap<readonly Policy[], string>()

/** Formats `RateLimit-Policy`: `"burst";q=100;w=1, "minute";q=600;w=60`. Cached by list of policies. */
export const formatPolicies = (policies: readonly Policy[]): string => {
  let header = policyHeaders.get(policies)
  if (header === undefined) {
    header = policies
      .map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`)
      .join(', ')
    policyHeaders.set(policies, header)
  }
  return header
}

/** Formats `RateLimit`: `"burst";r=97;t=1, "minute";r=412;t=23`. `t`: seconds until more is available. */
export const formatUse = (use: readonly Use[]): string => {
  // Avoids map and join, because every response has this field.
  let text = ''
  for (const { policy, remaining, resetSeconds } of use) {
    text += `${text === '' ? '"' : ', "'}${policy.name}";r=${remaining};t=${resetSeconds}`
  }
  return text
}
