import { z } from 'zod'
import { field } from './fields.ts'

const fault = z
  .strictObject({
    parameter: field(z.string().optional(), 'The query parameter that is at fault', 'approval_status'),
    pointer: field(z.string().optional(), 'The place in the body (RFC 6901) that is at fault', '/api_key'),
    code: field(z.string(), 'What is wrong, for programs', 'invalid_value'),
    detail: field(z.string(), 'What was expected', 'expected one of: pending, approved'),
    did_you_mean: field(z.string().optional(), 'The nearest valid name or value', 'approved'),
  })
  .meta({ id: 'Fault', description: 'One fault of a request' })

/** Every error of the API (RFC 9457), whatever media type was asked for. */
export const problem = z
  .strictObject({
    type: field(
      z.url(),
      'Identifies the problem; the page behind it explains it',
      'https://api.example/problems/invalid_query',
    ),
    title: field(z.string(), 'What the problem is, the same every time', 'The query cannot be understood'),
    status: field(z.int().min(400).max(599), 'The status of the answer', 400),
    code: field(z.string(), 'The problem, for programs: the last part of its type', 'invalid_query'),
    detail: field(z.string(), 'What it is this time', 'The query cannot be understood'),
    request_id: field(
      z.string().optional(),
      'The same as the header Request-Id; absent where the request could not even be read',
      '3f0f4c1e-8a0e-4f43-9d0c-6f1d6a5c2b7a',
    ),
    errors: z.array(fault).optional().meta({ description: 'Every fault that was found' }),
    try: field(
      z.url().optional(),
      'The address that was probably meant, where every fault has a nearest name',
      'https://api.example/v1/certificates?approval_status=approved',
    ),
    'violated-policies': field(
      z.array(z.string()).optional(),
      'The quota policies that have no room for the request (draft-ietf-httpapi-ratelimit-headers)',
      ['burst'],
    ),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 9457)' })
