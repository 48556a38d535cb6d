import { z } from 'zod'
import { countryCode, date, field, identity, recordId, tags, text, texts, timestamps } from './fields.ts'

export const approvalStatus = z.enum([
  'pending',
  'approved',
  'conditional',
  'rejected',
  'suspended',
  'revoked',
  'withdrawn',
  'superseded',
])

export const validity = z.enum(['not_yet_valid', 'valid', 'expired', 'void'])

const validityPeriod = z.strictObject({
  from: field(date, 'First day of the period', '2023-05-01'),
  until: field(date.nullable(), 'Last day of the period; null = unlimited', '2028-04-30'),
  basis: field(z.enum(['initial', 'renewal', 'extension']), 'The reason for the period', 'initial'),
})

export const certificate = z
  .strictObject({
    ...identity('crt-lumen-gateway-us', 'crt-tracker-mini-br'),
    number: field(text, 'The number as printed', '2AZZX-LG200', '2AZZX-EXW6M'),
    title: field(text, 'The certified product, in the words of the certificate', 'Lumen Gateway, FCC ID'),
    product_id: field(recordId.nullable(), 'The principal product', 'prd-lumen-gateway', 'prd-tracker-mini'),
    project_id: field(recordId.nullable(), 'The project it came from', 'prj-1001', 'prj-1002'),
    approval_id: field(recordId.nullable(), 'The principal approval', 'apr-lumen-gateway-us'),
    supersedes_id: field(recordId.nullable(), 'The certificate that this one replaces', 'crt-hub-classic-us'),
    country_code: field(countryCode.nullable(), 'The principal country (ISO 3166-1 alpha-2)', 'US', 'BR'),
    authority: field(text.nullable(), 'Abbreviation of the issuing authority', 'FCC', 'ANATEL'),
    scheme: field(text.nullable(), 'Mark or scheme', 'FCC ID', 'CE RED'),
    certificate_type: field(
      z
        .enum([
          'type_approval',
          'declaration_of_conformity',
          'certificate_of_conformity',
          'registration',
          'safety_certificate',
          'module_approval',
          'other',
        ])
        .nullable(),
      'Kind of document',
      'type_approval',
    ),
    approval_status: field(approvalStatus, 'The decision of the authority', 'approved'),
    validity: field(validity, 'Computed for the day from status and dates', 'valid'),
    expiring: field(
      z.boolean(),
      "True if the certificate is valid and ends within the customer's window",
      false,
    ),
    days_remaining: field(
      z.int().nullable(),
      'Days to valid_until: 0 on the last day, negative after it, null when unlimited',
      null,
    ),
    valid_from: field(date.nullable(), 'First day of the unbroken run of validity', '2024-11-21'),
    valid_until: field(date.nullable(), 'Last day, inclusive; null = unlimited', null),
    validity_periods: field(z.array(validityPeriod), 'Periods, oldest first', [
      { from: '2024-11-21', until: null, basis: 'initial' },
    ]),
    issued_on: field(date.nullable(), 'Day of issue', '2024-11-18'),
    holder: field(text.nullable(), 'The holder', 'Example Devices GmbH'),
    standards: field(texts, 'Standards it attests', ['FCC Part 15C', 'FCC Part 15B']),
    tags: tags('in-force', 'flagship'),
    source_url: field(
      text.nullable(),
      'Where the authority publishes it',
      'https://registry.example/fcc/crt-lumen-gateway-us',
    ),
    ...timestamps,
  })
  .meta({ id: 'Certificate', description: 'A certificate that an authority issued' })
