import type { z } from 'zod'
import { ApiError, type Fault } from '../errors.ts'

type Issue = z.core.$ZodIssue

/** JSON Pointer (RFC 6901). */
const pointerTo = (path: readonly PropertyKey[]) =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const listFaults = (issue: Issue): Fault[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({
        pointer: pointerTo([...issue.path, key]),
        code: 'unknown_field',
        detail: 'there is no such field',
      }))
    : [{ pointer: pointerTo(issue.path), code: 'invalid_value', detail: issue.message }]

/** Parses a JSON body with the schema. Throws `invalid_body` with every fault and its JSON Pointer. */
export const parseBody = <T>(schema: z.ZodType<T>, body: unknown, detail: string): T => {
  const { success, data, error } = schema.safeParse(body)
  if (success) return data
  throw new ApiError('invalid_body', { detail, errors: error.issues.flatMap(listFaults) })
}
