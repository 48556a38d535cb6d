import { LRUCache } from 'lru-cache'
import type { Definition } from './definition.ts'
import type { Revision } from './granted.ts'
import { type RequestOutcome, readRequest } from './request.ts'
import type { CustomShape } from './request-readers.ts'

const remembered = {
  maxSize: 2_000_000,
  maxEntrySize: 20_000,
  sizeCalculation: (_: unknown, key: string) => 3 * key.length + 500,
}

/** Reads query strings as `readRequest` does, and remembers those that it understood, about 2 MB of them. */
export const createRememberedReader = () => {
  const requests = new LRUCache<string, RequestOutcome & object>(remembered)
  return (
    definition: Definition,
    revisions: readonly Revision[],
    rawQuery: string,
    day: string,
    shape: CustomShape,
  ): RequestOutcome => {
    const numbers = revisions.map(({ revision }) => revision)
    const key = `${definition.digest} ${numbers} ${day} ${shape} ${rawQuery}`
    const known = requests.get(key)
    if (known) return known
    const [current = definition.revision] = numbers
    const outcome = readRequest(definition, { current, served: numbers }, rawQuery, day, shape)
    if ('request' in outcome) requests.set(key, outcome)
    return outcome
  }
}
