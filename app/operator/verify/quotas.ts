export type Quota = Readonly<{
  policy: string
  quota: number
  windowSeconds: number
  remaining: number
  resetSeconds: number
}>

/** Reads lists such as `"burst";q=100;w=1, "minute";q=600;w=60`. */
const readList = (text = ''): Map<string, Record<string, number>> =>
  new Map(
    [...text.matchAll(/"(\w+)"((?:;\w+=\d+)*)/g)].map(([, name = '', parameters = '']) => [
      name,
      Object.fromEntries(
        parameters
          .split(';')
          .slice(1)
          .map((each) => each.split('='))
          .map(([key = '', value]) => [key, Number(value)]),
      ),
    ]),
  )

/** Reads the quotas that have both headers (draft-ietf-httpapi-ratelimit-headers-10). */
export const readQuotas = (headers: Readonly<Record<string, string>>): Quota[] => {
  const states = readList(headers.ratelimit)
  return [...readList(headers['ratelimit-policy'])].flatMap(([policy, { q, w }]) => {
    const { r, t } = states.get(policy) ?? {}
    if (q === undefined || w === undefined || r === undefined || t === undefined) return []
    return [{ policy, quota: q, windowSeconds: w, remaining: r, resetSeconds: t }]
  })
}
