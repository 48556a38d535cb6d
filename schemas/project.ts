import { z } from 'zod'
import { countryCode, date, field, identity, recordId, tags, text, timestamps } from './fields.ts'

export const project = z
  .strictObject({
    ...identity,
    project_number: field(text, "The operator's project number", '2026-0042'),
    customer_reference: field(text.nullable(), "The customer's own order reference", 'PO-77120'),
    title: field(text, 'What was ordered', 'Thunder: renewals Asia 2026'),
    status: field(
      z.enum(['draft', 'quoted', 'ordered', 'in_progress', 'on_hold', 'completed', 'cancelled', 'declined']),
      'Where the project stands',
      'in_progress',
    ),
    classification: field(
      z
        .enum([
          'new_certification',
          'renewal',
          'modification',
          'variant',
          'extension',
          'transfer',
          'pre_compliance',
          'testing',
          'consulting',
        ])
        .nullable(),
      'Kind of order',
      'renewal',
    ),
    product_ids: field(z.array(recordId), 'Products in the project', ['63c140bf3b739a24']),
    country_codes: field(z.array(countryCode), 'Countries in the project', ['JP', 'KR']),
    ordered_on: field(date.nullable(), 'Day of the order', '2026-02-02'),
    due_on: field(date.nullable(), 'Day it is due', '2026-09-30'),
    completed_on: field(date.nullable(), 'Day it was completed', null),
    tags,
    ...timestamps,
  })
  .meta({ id: 'Project', description: 'An order: these products into these countries' })
