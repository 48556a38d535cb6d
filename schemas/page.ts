import { z } from 'zod'
import { date, field } from './fields.ts'

/** `count=exact` counts up to this number of records. */
export const maxTotal = 100_000

const pageInfo = z
  .strictObject({
    limit: field(z.int().positive(), 'Requested number of records', 50),
    has_more: field(z.boolean(), 'Whether another page follows', true),
    next_cursor: field(
      z.string().nullable(),
      'Value of the parameter cursor for the next page; null on the last',
      'AXq3x0a2c0F1WyIyMDI2LTA0LTI1VDExOjAyOjAzLjQ1Njc4OVoiLCI0Mzg1ZGNlMmE5ZWY2MjJiIl0',
    ),
    total: field(
      z.int().nonnegative().max(maxTotal).optional(),
      `Number of all matching records, up to ${maxTotal}, with count=exact`,
      120,
    ),
    total_is_lower_bound: field(
      z.boolean().optional(),
      'True if more records may match than total; left out if total is exact',
      true,
    ),
  })
  .meta({ id: 'PageInfo', description: 'The position of this page in the list' })

const dayPageInfo = pageInfo
  .extend({ as_of: field(date, 'The day for which fields and conditions are computed', '2026-11-21') })
  .meta({
    id: 'DayPageInfo',
    description: 'The position of this page in the list, and the day of its computed fields',
  })

export type Included = Readonly<Record<string, z.ZodObject>>

const includedMember = (included: Included) => {
  const shape = Object.entries(included).map(([resource, record]) => {
    const byId = z
      .record(z.string(), record)
      .meta({ description: 'Records by id. An id without a record is absent' })
    return [resource, byId.optional()]
  })
  if (shape.length === 0) return {}
  const object = z.strictObject(Object.fromEntries(shape) as Record<string, z.ZodOptional>)
  return {
    included: object.optional().meta({ description: 'The related records that the parameter include names' }),
  }
}

const getName = (record: z.ZodObject): string => {
  const id = record.meta()?.id
  if (id === undefined) throw new Error('an envelope needs a record schema with an id')
  return id
}

/** Returns the schema of a page, for example CertificatePage. Call it once per record: ids are unique. */
export const createPageSchema = (record: z.ZodObject, included: Included, computedForDay: boolean) =>
  z
    .strictObject({
      data: z.array(record).meta({ description: 'The records, in the requested order' }),
      page: computedForDay ? dayPageInfo : pageInfo,
      ...includedMember(included),
    })
    .meta({ id: `${getName(record)}Page`, description: 'A page of records' })

/** Returns the schema of one record's answer, for example CertificateAnswer. Call it once per record. */
export const createItemSchema = (record: z.ZodObject, included: Included) =>
  z
    .strictObject({ data: record, ...includedMember(included) })
    .meta({ id: `${getName(record)}Answer`, description: 'One record' })
