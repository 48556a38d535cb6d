import { z } from 'zod'
import { field, instant, recordId } from './fields.ts'

const pageInfo = z
  .strictObject({
    has_more: field(z.boolean(), 'Whether more changes can be read now', false),
    next_token: field(
      z.string(),
      'Value of the parameter after for the next request. Always present, also without changes',
      'AVsiNzU3NTYwNDE2MTY5NDc2NTg5OC4wMDAwMDAwMS4xNjM4NC4xNjUwMCIsMTc5NTI1MzQwMF0',
    ),
  })
  .meta({ id: 'ChangesPageInfo', description: 'The position in the feed' })

/** Call this and `createChangesSchema` once each, because the id of a schema must be unique. */
export const createChangeSchema = (records: Readonly<Record<string, z.ZodObject>>, example: object) => {
  const names = Object.keys(records)
  const schemas = names.map((name) => `${name}: ${records[name]?.meta()?.id}`).join(', ')
  return z
    .strictObject({
      op: field(
        z.enum(['upsert', 'delete']),
        'Whether to replace or to remove the record with this id',
        'upsert',
      ),
      resource: field(z.enum(names), 'The resource', names[0] as string),
      id: field(recordId, 'Id of the record', 'crt-lumen-gateway-us'),
      at: field(
        instant,
        'Approximate time of the change, for information only',
        '2026-04-25T11:02:03.456789Z',
      ),
      cause: z
        .enum(['day', 'settings', 'filter'])
        .optional()
        .meta({
          description:
            'The reason for the change: `day` or `settings` if the record was not written, `filter` if it no longer matches the filter. Omitted for a written record that still matches',
          examples: ['day'],
        }),
      changed: z
        .array(z.string())
        .optional()
        .meta({
          description:
            'The fields that differ from the state of the token. Omitted if they are not known, for example for a new record',
          examples: [['approval_status', 'validity']],
        }),
      previous: z
        .record(z.string(), z.unknown())
        .optional()
        .meta({
          description: 'With `previous=true`: the values of these fields in the state of the token',
          examples: [{ approval_status: 'approved', validity: 'valid' }],
        }),
      // Any object: generated clients fail if a union lacks a new resource, or parse it as its first member.
      data: z
        .record(z.string(), z.unknown())
        .nullable()
        .meta({
          description: `The present record, whole or with the chosen fields; null if it is to be removed. Schemas by resource: ${schemas}`,
          examples: [example],
        }),
    })
    .meta({ id: 'Change', description: 'A record to replace, or to remove' })
}

export const createChangesSchema = (change: z.ZodType) =>
  z
    .strictObject({
      data: z.array(change).meta({ description: 'Changes, each record once; apply them in this order' }),
      page: pageInfo,
    })
    .meta({ id: 'Changes', description: 'Changes since a sync token' })
