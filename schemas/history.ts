import { z } from 'zod'
import { field, instant, recordId } from './fields.ts'

const fieldChange = z
  .strictObject({
    from: z.unknown().meta({
      description: 'The old value. Null if the record did not exist',
      examples: ['approved'],
    }),
    to: z
      .unknown()
      .meta({ description: 'The new value. Null if the record was deleted', examples: ['suspended'] }),
  })
  .meta({ id: 'FieldChange', description: 'A field of a record, before and after' })

const pageInfo = z
  .strictObject({
    limit: field(z.int().positive(), 'Requested number of entries', 50),
    has_more: field(z.boolean(), 'Whether another page follows', false),
    next_cursor: field(
      z.string().nullable(),
      'Value of the parameter cursor for the next page; null on the last',
      null,
    ),
    history_from: field(
      instant,
      'History is complete since this time. Older changes are not shown',
      '2026-01-06T09:30:00.000000Z',
    ),
  })
  .meta({ id: 'HistoryPageInfo', description: 'The position of this page, and how far history reaches' })

const createEntry = (resources: readonly string[]) =>
  z
    .strictObject({
      resource: field(z.enum(resources), 'The resource', resources[0] as string),
      id: field(recordId, 'Id of the record', 'crt-lumen-gateway-us'),
      at: field(
        instant,
        'When it changed: the time at which its transaction began. The `updated_at` of the record from then on',
        '2026-04-25T11:02:03.456789Z',
      ),
      op: field(z.enum(['create', 'update', 'delete']), 'What happened to the record', 'update'),
      cause: z
        .enum(['day'])
        .optional()
        .meta({
          description: '`day`: a new day (UTC) changed computed fields. Omitted if the record was written',
          examples: ['day'],
        }),
      changes: z.record(z.string(), fieldChange).meta({
        description:
          'The changed fields, by name. If the record was created or deleted: all fields with a value',
        examples: [
          { approval_status: { from: 'approved', to: 'suspended' }, validity: { from: 'valid', to: 'void' } },
        ],
      }),
    })
    .meta({ id: 'HistoryEntry', description: 'A change of a record' })

/** Call it once, because the id of a schema must be unique. `resources`: their names. */
export const createHistoryPage = (resources: readonly string[]) =>
  z
    .strictObject({
      data: z.array(createEntry(resources)).meta({ description: 'Changes, the newest first' }),
      page: pageInfo,
    })
    .meta({ id: 'HistoryPage', description: 'A page of history' })
