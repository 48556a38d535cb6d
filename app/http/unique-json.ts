import { findJsonFault } from './json-fault.ts'

export class JsonError extends SyntaxError {
  readonly position: number
  constructor(detail: string, position: number) {
    super(detail)
    this.position = position
  }
}

/** Too high if a string contains `":`, never too low. */
const countNames = (json: string): number => json.match(/"\s*:/g)?.length ?? 0

const countMembers = (value: unknown): number => {
  const open = [value]
  let count = 0
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (typeof each !== 'object' || each === null) continue
    const inner = Object.values(each)
    if (!Array.isArray(each)) count += inner.length
    for (const one of inner) if (typeof one === 'object') open.push(one)
  }
  return count
}

/** Throws a `JsonError` if an object has two members of one name. `value`: the parsed text. */
export const requireUniqueNames = (json: string, value: unknown): void => {
  if (countNames(json) === countMembers(value)) return
  const fault = findJsonFault(json)
  if (fault) throw new JsonError(fault.detail, fault.position)
}

/** Parses JSON. Throws a `JsonError` for a syntax error or a duplicate name. Its message contains no values. */
export const parseUniqueJson = (json: string): unknown => {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    const { detail, position } = findJsonFault(json) ?? { detail: 'expected JSON', position: 0 }
    throw new JsonError(detail, position)
  }
  requireUniqueNames(json, value)
  return value
}
