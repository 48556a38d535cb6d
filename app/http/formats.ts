export const jsonType = 'application/json'

/** By value of the parameter `format`, in order of preference. */
export const mediaTypes = {
  json: jsonType,
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const

export type FormatName = keyof typeof mediaTypes

export const formatNames = Object.keys(mediaTypes) as readonly FormatName[]

/** Other names in `Accept` of types that are offered. */
export const aliases: ReadonlyMap<string, string> = new Map(
  ['application/jsonl', 'application/x-jsonlines', 'application/ndjson'].map((name) => [
    name,
    mediaTypes.ndjson,
  ]),
)
