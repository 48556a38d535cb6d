import { LRUCache } from 'lru-cache'
import type { Fault } from '../../errors.ts'
import { type Pair, parsePairs } from '../../http/pairs.ts'
import type { FaultyQuery } from '../../lists/parameters.ts'
import { formatParts } from '../../records/query/canonical.ts'
import { parseQuery } from '../../records/query/parse.ts'
import { planQuery, type QueryPlan } from '../../records/query/plan.ts'
import type { Resource, ResourceName } from '../../records/resources/define.ts'
import { resources } from '../../records/resources/index.ts'
import { type DayAndWindow, expireToken, type View } from './token.ts'

/** In characters. A token is a third longer than its view and must fit into a request header. */
const longestView = 2_000

const relativeFaults = (pairs: readonly Pair[], { fields }: Resource): Fault[] =>
  pairs
    .filter(({ name, value = '' }) => {
      const kind = fields.get(name.split('[')[0] ?? '')?.kind
      return (kind === 'date' || kind === 'instant') && /(^|,)today/.test(value)
    })
    .map(({ name }) => ({
      parameter: name,
      code: 'invalid_value',
      detail: 'expected a fixed date: a relative date moves without a change in the feed',
    }))

/** Whether a parameter, without its operator, is `fields` or a filter of any resource. */
export const isOfView = (name: string): boolean => {
  const [base = ''] = name.split('[')
  return base === 'fields' || Object.values(resources).some(({ fields }) => fields.get(base)?.filter)
}

/** Lists the filters of a resource, without operators, and `fields`. */
export const viewNames = ({ fields }: Resource): readonly string[] => [
  ...[...fields.values()].flatMap(({ name, filter }) => (filter ? [name] : [])),
  'fields',
]

/** Parses filters and `fields` to a canonical query string. Needs one resource, refuses relative dates. */
export const parseView = (
  pairs: readonly Pair[],
  names: readonly ResourceName[] | undefined,
): { view: View | undefined } | Pick<FaultyQuery, 'faults' | 'corrected'> => {
  const [first] = pairs
  if (!first) return { view: undefined }
  const [name] = names ?? []
  if (name === undefined || names?.length !== 1) {
    const detail = 'fields and filters need a single resource: add resources='
    return { faults: pairs.map((pair) => ({ parameter: pair.name, code: 'invalid_value', detail })) }
  }
  const resource = resources[name]
  const isDecoded = pairs.every(({ value }) => value !== undefined)
  const outcome = parseQuery(resource, 'export', isDecoded ? pairs : parsePairs('='))
  if ('faults' in outcome) return outcome
  const faults = relativeFaults(pairs, resource)
  if (faults.length > 0) return { faults }
  const view = formatParts({ ...outcome.query, limit: 50 }).list
  if (view.length <= longestView) return { view }
  const detail = `fields and filters of a feed have at most ${longestView} characters together`
  return { faults: [{ parameter: first.name, code: 'invalid_value', detail }] }
}

/** Parsed views, because each poll needs the view of its token. */
const known = new LRUCache<string, ReturnType<typeof parseQuery>>({ max: 200 })

const findView = (view: View, resource: Resource): ReturnType<typeof parseQuery> => {
  const name = `${resource.name}?${view}`
  const found = known.get(name)
  if (found) return found
  const outcome = parseQuery(resource, 'export', parsePairs(view))
  known.set(name, outcome)
  return outcome
}

/** For relative dates, which a view does not have. */
const anyDay = '1970-01-01'

/** Whether this release accepts the view. */
export const isAccepted = (view: View, resource: Resource): boolean => 'query' in findView(view, resource)

/** `undefined` without a view. Throws sync_token_expired if this release does not accept the view. */
export const planView = (
  view: View | undefined,
  resource: Resource,
  customerId: string,
  { day, window }: DayAndWindow,
): QueryPlan | undefined => {
  if (view === undefined) return undefined
  const outcome = findView(view, resource)
  if ('faults' in outcome) throw expireToken('the filter or the fields of this token are no longer valid')
  return { ...planQuery(outcome.query, { customerId, today: anyDay }), day, window }
}
