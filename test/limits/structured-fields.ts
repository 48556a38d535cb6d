import type { LightMyRequestResponse } from 'fastify'

export type Item = { value: string; parameters: Record<string, number> }

/** Parses only a List of Strings with Integer parameters, by the algorithms of RFC 9651, section 4.2. */
export const parseList = (field: string): Item[] => {
  let rest = field
  const take = (pattern: RegExp): string => {
    const [match] = pattern.exec(rest) ?? []
    if (match === undefined) throw new Error(`expected ${pattern} at: ${rest}`)
    rest = rest.slice(match.length)
    return match
  }
  const items: Item[] = []
  while (rest !== '') {
    const value = JSON.parse(take(/^"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/)) as string
    const parameters: Record<string, number> = {}
    while (rest.startsWith(';')) {
      take(/^; */)
      const key = take(/^[a-z*][a-z0-9_.*-]*/)
      take(/^=/)
      parameters[key] = Number(take(/^-?\d{1,15}(?![\d.])/))
    }
    items.push({ value, parameters })
    if (rest === '') break
    take(/^[ \t]*,[ \t]*(?=[^ \t])/)
  }
  return items
}

type Limits = Record<string, { q: number; w: number; r: number; t: number }>
/** Returns the quotas of an answer by policy. Throws if a header is missing or malformed. */
export const listLimits = ({ headers }: LightMyRequestResponse): Limits => {
  const quotas = parseList(String(headers['ratelimit-policy'] ?? ''))
  const left = new Map(
    parseList(String(headers.ratelimit ?? '')).map((item) => [item.value, item.parameters]),
  )
  return Object.fromEntries(
    quotas.map(({ value, parameters }) => [value, { ...parameters, ...left.get(value) }]),
  ) as Limits
}
