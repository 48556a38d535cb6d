import type { Fault, Problem } from './types.ts'

/** Codes of problems that a program may handle. More codes may be added. */
export type ProblemCode =
  | 'invalid_query'
  | 'invalid_cursor'
  | 'invalid_sync_token'
  | 'credentials_required'
  | 'invalid_token'
  | 'token_expired'
  | 'token_revoked'
  | 'invalid_api_key'
  | 'invalid_client'
  | 'plan_required'
  | 'insufficient_scope'
  | 'network_not_allowed'
  | 'not_found'
  | 'before_history'
  | 'rotation_refused'
  | 'sync_token_expired'
  | 'quota_exceeded'
  | 'unavailable'
  | (string & {})

const getPlace = ({ parameter, pointer = '' }: Fault) => parameter ?? pointer

/**
 * Begins with the first suggestion, which the service usually puts into the detail. Lists the faults if there
 * are several.
 */
const toMessage = ({ code, status, detail, errors: faults = [] }: Problem): string => {
  const corrected = faults.find(({ did_you_mean }) => did_you_mean !== undefined)
  const isFirst = !corrected || detail.startsWith('Did you mean ')
  const suggestion = isFirst ? '' : `Did you mean ${corrected.did_you_mean} for ${getPlace(corrected)}? `
  const lines = faults.map((fault) => `- ${getPlace(fault)}: ${fault.detail}`)
  return [`${suggestion}${detail} (${code}, ${status})`, ...(lines.length > 1 ? lines : [])].join('\n')
}

/** A refusal of the service: the problem document (RFC 9457) as an error. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly status: number
  /** `unknown` if the answer was no problem document, for example a page of a proxy. */
  readonly code: ProblemCode
  readonly problem: Problem
  readonly headers: Headers

  constructor(problem: Problem, headers: Headers) {
    super(toMessage(problem))
    this.status = problem.status
    this.code = problem.code
    this.problem = problem
    this.headers = headers
  }

  /** Every fault of the request, with its nearest valid name if there is one. */
  get faults(): readonly Fault[] {
    return this.problem.errors ?? []
  }

  /** For questions to the operator. */
  get requestId(): string | undefined {
    return this.problem.request_id ?? this.headers.get('request-id') ?? undefined
  }

  /** Milliseconds from now until Retry-After (RFC 9110: seconds or a date). */
  get retryAfterMs(): number | undefined {
    return parseRetryAfter(this.headers.get('retry-after'), Date.now())
  }
}

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Returns the milliseconds until Retry-After. `undefined` without the header, or if it is neither seconds nor a date. */
export const parseRetryAfter = (asked: string | null, nowMs: number): number | undefined => {
  if (asked === null) return undefined
  if (/^\d+$/.test(asked)) return Number(asked) * 1000
  const date = httpDate.test(asked) ? Date.parse(asked) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Problem).code === 'string' &&
  typeof (value as Problem).detail === 'string'

/** The token endpoint refuses with 4xx as OAuth does (RFC 6749, section 5.2). */
const fromOAuth = (body: unknown): Pick<Problem, 'code' | 'detail' | 'title' | 'type'> | undefined => {
  const {
    error,
    error_description: detail,
    error_uri: type = 'about:blank',
  } = Object(body) as Record<string, string>
  if (typeof error !== 'string') return undefined
  return { type, title: error, code: error, detail: detail ?? error }
}

/** Reads an answer of 4xx or 5xx, including its body, as an error. */
export const readProblem = async (answer: Response): Promise<ProblemError> => {
  const text = await answer.text()
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  const shown = text.trim().slice(0, 200) || `The service answered ${answer.status}`
  // The answer's status has priority: a proxy may have changed it.
  const unknown = { type: 'about:blank', title: shown, code: 'unknown', detail: shown }
  const problem = isProblem(body) ? body : (answer.status < 500 && fromOAuth(body)) || unknown
  return new ProblemError({ ...problem, status: answer.status }, answer.headers)
}
