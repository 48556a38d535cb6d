/**
 * Media types of a list, by the name that the parameter `format` gives them, in order of preference. Each but JSON
 * has a row in `app/export/formats.ts`, which says how it is written.
 */
export const mediaTypes = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const

export type FormatName = keyof typeof mediaTypes

/** Every format that a list has. */
export const formatNames = Object.keys(mediaTypes) as readonly FormatName[]
