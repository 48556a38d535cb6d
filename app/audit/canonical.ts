const formatMember = (name: string, value: unknown) => `${JSON.stringify(name)}:${canonicalJson(value)}`

/** Returns the canonical text of a JSON value (RFC 8785): equal values have equal bytes, and so one hash. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, each]) => formatMember(name, each)).join(',')}}`
}
