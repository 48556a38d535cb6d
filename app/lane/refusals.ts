import type { ApiError, ErrorCode } from '../errors.ts'
import { headLine, statusLine } from '../http/prepared.ts'
import { problemBody } from '../http/problem.ts'
import { momentary } from './replies.ts'

/** What is sent but for the request's id: the body in two parts around it. */
type Prepared = { lines: string; before: string; after: string }

export type Refusals = {
  /** Notes what the router sent, by lower-case name, when it refused for this. */
  learn(error: ApiError, isTls: boolean, headers: Readonly<Record<string, unknown>>): void
  /**
   * Head (without the fields of the moment) and body of the same refusal; `name` stands for all that is in the error,
   * which is made where there was none of that name yet. Undefined: the router never refused for this code.
   */
  compose(
    code: ErrorCode,
    isTls: boolean,
    name: string,
    make: () => ApiError,
    requestId: string,
  ): { head: string; body: string } | undefined
}

/** Each is a kilobyte at most, and there are hardly more than seconds in a minute. */
const maxPrepared = 500
const ofEach = new Set<string>([...momentary, 'content-length'])
/** As long as any id. */
const sampleId = '00000000-0000-0000-0000-000000000000'

/** Refusals as the router wrote them, but for what the error and the moment say. */
export const createRefusals = (publicUrl: string): Refusals => {
  const constant = new Map<string, string>()
  const prepared = new Map<string, Prepared>()

  const prepare = (error: ApiError, known: string): Prepared => {
    // Bytes, one a character, as they are written.
    const body = Buffer.from(problemBody(error, publicUrl, sampleId)).toString('latin1')
    const [before = '', after = ''] = body.split(sampleId)
    const own = Object.entries(error.extras.headers ?? {}).map(([name, value]) => headLine(name, value))
    const length = headLine('content-length', String(body.length))
    return { lines: statusLine(error.status) + known + own.join('') + length, before, after }
  }

  return {
    learn({ code, extras }, isTls, headers) {
      const lines = Object.entries(headers).flatMap(([name, value]) =>
        ofEach.has(name) || value === undefined || extras.headers?.[name] !== undefined
          ? []
          : [headLine(name, String(value))],
      )
      constant.set(`${code} ${isTls}`, lines.join(''))
    },
    compose(code, isTls, name, make, requestId) {
      const key = `${code} ${isTls} ${name}`
      let found = prepared.get(key)
      if (!found) {
        const known = constant.get(`${code} ${isTls}`)
        if (known === undefined) return undefined
        if (prepared.size >= maxPrepared) prepared.clear()
        found = prepare(make(), known)
        prepared.set(key, found)
      }
      const { lines, before, after } = found
      return { head: lines + headLine('request-id', requestId), body: before + requestId + after }
    },
  }
}
