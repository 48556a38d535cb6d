import { ApiError, type ErrorCode, type ErrorExtras } from '../errors.ts'
import { parsePairs } from '../http/pairs.ts'
import { problemBody } from '../http/problem.ts'
import { toQuotaError } from '../limits/meters.ts'
import { parseQuery } from '../records/query/parse.ts'
import { resources } from '../records/resources/index.ts'
import type { SchemaNode } from './headers.ts'

/** A typical mistake. The parser itself writes the message. */
const slip = 'approval_status=aproved'

const slipExtras = (publicUrl: string): ErrorExtras => {
  const outcome = parseQuery(resources.certificates, 'page', parsePairs(slip))
  if ('query' in outcome) throw new Error(`${slip} is accepted`)
  return { errors: outcome.faults, try: `${publicUrl}/v1/certificates?${outcome.corrected}` }
}

const extras: Partial<Record<ErrorCode, (publicUrl: string) => ErrorExtras>> = {
  invalid_query: slipExtras,
  invalid_body: () => ({
    errors: [{ pointer: '/api_key', code: 'invalid_value', detail: 'expected the API key as text' }],
  }),
  quota_exceeded: () => toQuotaError({ violated: ['burst'], retryAfterSeconds: 1 }).extras,
}

/** Returns an example of an error's problem document. */
export const problemExample = (code: ErrorCode, publicUrl: string): SchemaNode => {
  const error = new ApiError(code, extras[code]?.(publicUrl))
  return JSON.parse(problemBody(error, publicUrl, '3f0f4c1e-8a0e-4f43-9d0c-6f1d6a5c2b7a')) as SchemaNode
}
