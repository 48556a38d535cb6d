const formatMember = (name: string, value: unknown) => `${JSON.stringify(name)}:${canonicalJson(value)}`

/** RFC 8785: equal JSON values have the same text, and so the same hash. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, each]) => formatMember(name, each)).join(',')}}`
}
