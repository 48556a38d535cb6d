import type { ApiError } from '../errors.ts'

export const problemType = 'application/problem+json'

/** Formats an error as a problem document (RFC 9457). */
export const problemBody = (error: ApiError, publicUrl: string, requestId: string | undefined): string => {
  // The details of these belong in the log.
  const isOurs = error.status === 500 || error.status === 503
  const { errors, try: corrected, violatedPolicies } = isOurs ? {} : error.extras
  return JSON.stringify({
    type: `${publicUrl}/problems/${error.code}`,
    title: error.title,
    status: error.status,
    code: error.code,
    detail: isOurs ? error.title : error.message,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(errors && errors.length > 0 ? { errors } : {}),
    ...(corrected === undefined ? {} : { try: corrected }),
    ...(violatedPolicies === undefined ? {} : { 'violated-policies': violatedPolicies }),
  })
}
