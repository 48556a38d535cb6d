import { z } from 'zod'
import { countryCode, date, field, identity, recordId, tags, text, timestamps } from './fields.ts'

export const project = z
  .strictObject({
    ...identity('prj-1001', 'prj-1002'),
    project_number: field(text, "The operator's project number", 'EXD-1001', 'EXD-1002'),
    customer_reference: field(text.nullable(), "The customer's own order reference", 'PO-4500011873'),
    title: field(text, 'Title of the order', 'Lumen Gateway: Americas'),
    status: field(
      z.enum(['draft', 'quoted', 'ordered', 'in_progress', 'on_hold', 'completed', 'cancelled', 'declined']),
      'State of the project',
      'completed',
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
      'new_certification',
    ),
    product_ids: field(z.array(recordId), 'Products in the project', ['prd-lumen-gateway']),
    country_codes: field(z.array(countryCode), 'Countries in the project', ['US', 'CA', 'BR', 'MX']),
    ordered_on: field(date.nullable(), 'Day of the order', '2024-08-28'),
    due_on: field(date.nullable(), 'Day it is due', '2025-06-24'),
    completed_on: field(date.nullable(), 'Day it was completed', '2025-06-04'),
    tags: tags('flagship', 'strategic'),
    ...timestamps,
  })
  .meta({ id: 'Project', description: 'An order: these products into these countries' })
