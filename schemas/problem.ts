import { z } from 'zod'
import { field } from './fields.ts'

const fault = z
  .strictObject({
    parameter: field(z.string().optional(), 'The query parameter with the fault', 'approval_status'),
    pointer: field(z.string().optional(), 'The place of the fault in the body (RFC 6901)', '/api_key'),
    code: field(z.string(), 'The kind of fault, for programs', 'invalid_value'),
    detail: field(z.string(), 'The expected value', 'expected one of: pending, approved'),
    did_you_mean: field(z.string().optional(), 'The nearest valid name or value', 'approved'),
  })
  .meta({ id: 'Fault', description: 'One fault of a request' })

/** Every error of the API except those of OAuth, for every requested media type. */
export const problem = z
  .strictObject({
    type: field(
      z.url(),
      'Identifies the problem; the page behind it explains it',
      'https://api.example/problems/invalid_query',
    ),
    title: field(
      z.string(),
      'The problem in general, always in the same words',
      'The query cannot be understood',
    ),
    status: field(z.int().min(400).max(599), 'The status of the answer', 400),
    code: field(z.string(), 'The problem, for programs: the last part of its type', 'invalid_query'),
    detail: field(z.string(), 'The problem in this case', 'The query cannot be understood'),
    request_id: field(
      z.string().optional(),
      'Same value as the header Request-Id. Absent if the request could not be read',
      '3f0f4c1e-8a0e-4f43-9d0c-6f1d6a5c2b7a',
    ),
    errors: z.array(fault).optional().meta({ description: 'Every fault that was found' }),
    try: field(
      z.url().optional(),
      'A suggested address, if every fault has a nearest valid name',
      'https://api.example/v1/certificates?approval_status=approved',
    ),
    'violated-policies': field(
      z.array(z.string()).optional(),
      'The quota policies that have no room for the request (draft-ietf-httpapi-ratelimit-headers)',
      ['burst'],
    ),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 9457)' })
