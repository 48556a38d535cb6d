import { z } from 'zod'
import { countryCode, date, field, text, texts, timestamps } from './fields.ts'

const authority = z.strictObject({
  name: field(text, 'Full name', 'Federal Communications Commission'),
  abbreviation: field(text.nullable(), 'Abbreviation', 'FCC'),
  domain: field(text.nullable(), 'Internet domain', 'fcc.gov'),
  role: field(text.nullable(), 'Its responsibility', 'radio'),
})

const requirements = z.strictObject({
  schemes: field(texts, 'Marks and schemes', ['FCC ID (certification via TCB)', 'FCC SDoC']),
  in_country_testing: field(
    z.enum(['required', 'sometimes', 'not_required']).nullable(),
    'Whether tests must run in the country',
    'not_required',
  ),
  local_representative: field(
    z.enum(['required', 'not_required']).nullable(),
    'Whether a local representative must hold the approval',
    'required',
  ),
  validity: field(
    z.strictObject({ kind: z.enum(['unlimited', 'fixed']), years: z.int().positive().nullable() }).nullable(),
    'How long an approval holds',
    { kind: 'unlimited', years: null },
  ),
  lead_time_weeks: field(
    z
      .strictObject({ min: z.int().nonnegative().nullable(), max: z.int().nonnegative().nullable() })
      .nullable(),
    'Usual time to approval, in weeks',
    { min: 1, max: 3 },
  ),
  note: field(text.nullable(), 'Further facts', 'Modules with a grant may be reused.'),
})

export const approvalInfo = z.strictObject({
  granted: field(z.int(), "The customer's granted approvals", 12),
  open: field(z.int(), "The customer's open approvals", 3),
  certificates_valid: field(z.int(), 'Certificates valid on the day', 11),
  certificates_expiring: field(z.int(), 'Of these, expiring within the window', 1),
})

export const country = z
  .strictObject({
    id: field(countryCode, 'The same as code', 'US', 'BR'),
    code: field(countryCode, 'ISO 3166-1 alpha-2', 'US', 'BR'),
    alpha3: field(
      z.string().regex(/^[A-Z]{3}$/, 'expected an ISO 3166-1 alpha-3 code in capitals'),
      'ISO 3166-1 alpha-3',
      'USA',
    ),
    name: field(text, 'English name', 'United States'),
    region: field(
      z.enum(['europe', 'americas', 'asia_pacific', 'middle_east_africa', 'cis']),
      'Region',
      'americas',
    ),
    blocs: field(texts, 'Economic areas it belongs to', ['USMCA']),
    authorities: field(z.array(authority), 'The responsible authorities', [
      { name: 'Federal Communications Commission', abbreviation: 'FCC', domain: 'fcc.gov', role: 'radio' },
    ]),
    requirements: field(requirements, 'The regulatory requirements; null = not known for sure', {
      schemes: ['FCC ID (certification via TCB)', 'FCC SDoC'],
      in_country_testing: 'not_required',
      local_representative: 'required',
      validity: { kind: 'unlimited', years: null },
      lead_time_weeks: { min: 1, max: 3 },
      note: null,
    }),
    approval_info: field(approvalInfo, 'How many approvals and certificates this customer has there', {
      granted: 12,
      open: 3,
      certificates_valid: 11,
      certificates_expiring: 1,
    }),
    sources: field(texts, 'Pages the facts rest on', ['https://ib-lenhardt.com/kb/fcc-requirements/fcc-id']),
    confidence: field(z.enum(['high', 'medium', 'low']), 'How reliable the facts are', 'high'),
    reviewed_on: field(date.nullable(), 'Day the facts were last reviewed', null),
    ...timestamps,
  })
  .meta({ id: 'Country', description: "A country's facts with this customer's view of it" })
