export type Quota = Readonly<{
  policy: string
  quota: number
  windowSeconds: number
  remaining: number
  resetSeconds: number
}>

/** Reads the quotas that both headers contain (draft-ietf-httpapi-ratelimit-headers-10). */
export const readQuotas = (headers: Readonly<Record<string, string>>): Quota[] => {
  const { ratelimit = '', 'ratelimit-policy': policies = '' } = headers
  return [...policies.matchAll(/"(\w+)";q=(\d+);w=(\d+)/g)].flatMap(([, policy = '', quota, window]) => {
    const [, remaining, reset] = new RegExp(`"${policy}";r=(\\d+);t=(\\d+)`).exec(ratelimit) ?? []
    if (remaining === undefined) return []
    const numbers = { quota: Number(quota), windowSeconds: Number(window) }
    return [{ policy, ...numbers, remaining: Number(remaining), resetSeconds: Number(reset) }]
  })
}
