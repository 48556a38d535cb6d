import { z } from 'zod'

/** UTF-8 bytes. Fits a B-tree entry next to customer and id. */
export const maxTextBytes = 2000

const storableText = (value: string) =>
  value.isWellFormed() && !value.includes('\u0000') && Buffer.byteLength(value) <= maxTextBytes

/** Adds a description and examples. The example data contain the examples of fields that have a filter. */
export const field = <T extends z.ZodType>(
  type: T,
  description: string,
  ...examples: [z.output<T>, ...z.output<T>[]]
) => type.meta({ description, examples })

export const text = z
  .string()
  .max(maxTextBytes)
  .refine(storableText, `expected at most ${maxTextBytes} bytes of text without U+0000 or lone surrogates`)

export const recordId = z
  .string()
  .regex(/^(?!\.+$)[A-Za-z0-9._~-]{1,64}$/, 'expected 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone')
  .meta({ maxLength: 64 })

export const countryCode = z
  .string()
  .regex(/^[A-Z]{2}$/, 'expected an ISO 3166-1 alpha-2 code in capitals')
  .meta({ maxLength: 2 })

/** PostgreSQL has no year 0. */
export const date = z.iso
  .date('expected a date as YYYY-MM-DD')
  .refine((value) => !value.startsWith('0000'), 'expected a year from 0001')

export const instant = z.iso.datetime({ precision: 6 })

export const texts = z.array(text)

export const identity = (...examples: [string, ...string[]]) => ({
  id: field(recordId, "The operator's stable id, unique per customer and resource", ...examples),
})
export const timestamps = {
  created_at: field(
    instant,
    'Time at which the service first stored the record',
    '2026-01-06T09:30:00.000000Z',
  ),
  updated_at: field(
    instant,
    'When the record last changed. To keep a copy up to date, use the change feed instead',
    '2026-04-25T11:02:03.456789Z',
  ),
}
export const tags = (...example: string[]) =>
  field(texts, 'Tags that the customer or the operator chose', example)
