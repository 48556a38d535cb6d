import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Plan } from '../../query/plan.ts'
import { pageMark } from '../connect.ts'

/**
 * Queries whose plan does not hang on their values: PostgreSQL may plan them once and keep it. Only values of the
 * first sort key bound them, so that key's index serves them, whatever the values are. Of others the planner has
 * to see the values: a rare country is read by its index, a frequent one by the sort's.
 */
const isBound = ({ conditions, sort, count }: Plan): boolean =>
  !count &&
  conditions.every(({ field, operator, values }) => {
    if (field === 'id') return operator === 'in' && values.length === 1
    const isRange = operator === 'gt' || operator === 'gte' || operator === 'lt' || operator === 'lte'
    return isRange && field === sort[0]?.key
  })

/** What, of a plan, is in the statement's text. */
const shapeOf = ({ resource, conditions, sort, after, fields, includes, limit, window }: Plan): string =>
  [
    resource.name,
    conditions.map(({ field, operator }) => `${field} ${operator}`).join(),
    sort.map(({ key, descending }) => (descending ? `-${key}` : key)).join(),
    after ? 'after' : '',
    fields?.join() ?? '*',
    includes.join(),
    limit,
    window === undefined ? '' : 'window',
  ].join(';')

/** Stands for a value in a plan; no value has a NUL. */
const slot = (name: string) => `\0${name}`

/** The plan with slots in place of what differs between two of one shape. */
const withSlots = (plan: Plan): Plan => ({
  ...plan,
  customerId: slot('customer'),
  day: slot('day'),
  conditions: plan.conditions.map((each, index) => ({ ...each, values: [slot(`condition ${index}`)] })),
  after: plan.after?.map((_, index) => slot(`after ${index}`)),
  window: plan.window === undefined ? undefined : (slot('window') as unknown as number),
})

const readers: Readonly<Record<string, (plan: Plan, index: number) => unknown>> = {
  customer: ({ customerId }) => customerId,
  day: ({ day }) => day,
  condition: ({ conditions }, index) => conditions[index]?.values[0],
  after: ({ after }, index) => after?.[index],
  window: ({ window }) => window,
}

type Parameter = (plan: Plan) => unknown

const toParameter = (value: unknown): Parameter => {
  if (typeof value !== 'string' || !value.startsWith('\0')) return () => value
  const [name = '', index] = value.slice(1).split(' ')
  const read = readers[name] as (plan: Plan, index: number) => unknown
  return (plan) => read(plan, Number(index))
}

/** A statement's text with its values. */
export type Bound = { text: string; values: unknown[] }
type Kept = { text: string; parameters: readonly Parameter[] }

export type Shapes = {
  /** The kept statement of the plan's shape, with the plan's values; undefined: compile it. */
  find(plan: Plan): Bound | undefined
}

/** Kept at once, and so planned at most on each connection: at about 50 kB they are 5 MB of the server's. */
const maxKept = 100
/** One that was asked for less often is not worth the server's memory. */
const usesBefore = 3
/** The server forgets what is dropped here only with the connection: so often at most. */
const dropEveryMs = 10_000

/**
 * Statements that are made once for each shape and carry a mark by which connections keep them prepared.
 * `compile`: text and parameters of a plan. Bounded in number and in turnover, because clients choose shapes.
 */
export const createShapes = (compile: (plan: Plan) => Bound, now: () => number): Shapes => {
  const uses = new LRUCache<string, number>({ max: 10 * maxKept })
  const kept = new LRUCache<string, Kept>({ max: maxKept })
  let droppedAt = Number.NEGATIVE_INFINITY

  const mayKeep = (shape: string): boolean => {
    const count = (uses.get(shape) ?? 0) + 1
    uses.set(shape, count)
    if (count <= usesBefore) return false
    if (kept.size < maxKept) return true
    if (now() - droppedAt < dropEveryMs) return false
    droppedAt = now()
    return true
  }

  const keep = (shape: string, plan: Plan): Kept => {
    const { text, values } = compile(withSlots(plan))
    const name: `page_${string}` = `page_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
    const statement = { text: pageMark(name) + text, parameters: values.map(toParameter) }
    kept.set(shape, statement)
    return statement
  }

  return {
    find(plan) {
      if (!isBound(plan)) return undefined
      const shape = shapeOf(plan)
      const statement = kept.get(shape) ?? (mayKeep(shape) ? keep(shape, plan) : undefined)
      return statement && { text: statement.text, values: statement.parameters.map((read) => read(plan)) }
    },
  }
}
