export const jsonType = 'application/json'

/** By value of the parameter `format`, in order of preference. */
export const mediaTypes = {
  json: jsonType,
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ics: 'text/calendar',
} as const

export type FormatName = keyof typeof mediaTypes

/** Of every list. The others belong to some lists only, see `ListFormat`. */
export const formatNames: readonly FormatName[] = ['json', 'ndjson', 'csv', 'xlsx']

export const isFormatName = (text: string): text is FormatName => Object.hasOwn(mediaTypes, text)

/** Other names in `Accept` of types that are offered. */
export const aliases: ReadonlyMap<string, string> = new Map(
  ['application/jsonl', 'application/x-jsonlines', 'application/ndjson'].map((name) => [
    name,
    mediaTypes.ndjson,
  ]),
)
