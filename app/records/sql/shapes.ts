import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { NamedStatement } from '../../db/connect.ts'
import type { QueryPlan } from '../query/plan.ts'
import type { Condition } from '../query/query.ts'

/**
 * Queries whose plan does not hang on their values: PostgreSQL may plan them once and keep it. Only values of the
 * first sort key bound them, so that key's index serves them, whatever the values are. Of others the planner has
 * to see the values: a rare country is read by its index, a frequent one by the sort's.
 * See docs/decisions/0040-statements-are-kept-prepared.md.
 */
const isBound = ({ conditions, sort, count }: QueryPlan): boolean =>
  !count &&
  conditions.every(({ field, operator, values }) => {
    if (field === 'id') return operator === 'in' && values.length === 1
    const isRange = operator === 'gt' || operator === 'gte' || operator === 'lt' || operator === 'lte'
    return isRange && field === sort[0]?.key
  })

/** Beyond these, lists of values are compiled: hardly two of them are as long. */
const longestList = 8

/** Whether a condition's values are in the statement's text: those of `null`, and of computed fields. */
const isSpelledOut = ({ resource }: QueryPlan, { field, operator }: Condition): boolean =>
  operator === 'null' || resource.fields.get(field)?.computed !== undefined

/** Whether two plans of its shape differ by parameters alone. The end of a prefix is reckoned from its value. */
const hasOneText = ({ conditions }: QueryPlan): boolean =>
  conditions.every(({ operator, values }) => operator !== 'prefix' && values.length <= longestList)

const conditionShape = (plan: QueryPlan, condition: Condition): string => {
  const { field, operator, values } = condition
  return `${field} ${operator} ${isSpelledOut(plan, condition) ? values.join() : values.length}`
}

/** What, of a plan, is in the statement's text. */
const shapeOf = (plan: QueryPlan): string => {
  const { resource, conditions, sort, after, fields, includes, limit, count, window } = plan
  return [
    resource.name,
    conditions.map((condition) => conditionShape(plan, condition)).join(),
    sort.map(({ key, descending }) => (descending ? `-${key}` : key)).join(),
    after ? 'after' : '',
    fields?.join() ?? '*',
    includes.join(),
    limit,
    count ? 'count' : '',
    window === undefined ? '' : 'window',
  ].join(';')
}

/** Stands for a value in a plan; no value has a NUL. */
const slot = (name: string) => `\0${name}`

/** The plan with slots in place of what differs between two of one shape. */
const withSlots = (plan: QueryPlan): QueryPlan => ({
  ...plan,
  customerId: slot('customer'),
  day: slot('day'),
  conditions: plan.conditions.map((each, index) =>
    isSpelledOut(plan, each)
      ? each
      : { ...each, values: each.values.map((_, place) => slot(`condition ${index} ${place}`)) },
  ),
  after: plan.after?.map((_, index) => slot(`after ${index}`)),
  window: plan.window === undefined ? undefined : (slot('window') as unknown as number),
})

const readers: Readonly<Record<string, (plan: QueryPlan, index: number, place: number) => unknown>> = {
  customer: ({ customerId }) => customerId,
  day: ({ day }) => day,
  condition: ({ conditions }, index, place) => conditions[index]?.values[place],
  after: ({ after }, index) => after?.[index],
  window: ({ window }) => window,
}

type Parameter = (plan: QueryPlan) => unknown

/** Texts have a mark before them in some columns. */
const slotForm = /^([^\0]*)\0(\w+)(?: (\d+))?(?: (\d+))?$/

const toParameter = (value: unknown): Parameter => {
  if (Array.isArray(value)) {
    const elements = value.map(toParameter)
    return (plan) => elements.map((read) => read(plan))
  }
  const [, before, name = '', index, place] = (typeof value === 'string' && slotForm.exec(value)) || []
  if (before === undefined) return () => value
  const read = readers[name] as (typeof readers)[string]
  return (plan) => {
    const given = read(plan, Number(index), Number(place))
    return before === '' ? given : `${before}${given}`
  }
}

/** A statement's text with its values. */
export type BoundStatement = NamedStatement
type Kept = { name: string | undefined; text: string; parameters: readonly Parameter[] }

export type Shapes = {
  /** The kept statement of the plan's shape, with the plan's values; undefined: compile it. */
  find(plan: QueryPlan): BoundStatement | undefined
}

/** Kept prepared at once, and so planned at most on each connection: at about 50 kB they are 5 MB of the server's. */
const maxPrepared = 100
/** Texts that are kept here alone, at 4 kB and up to 20. */
const maxTexts = 200
/** One that was asked for less often is not worth its memory. */
const usesBefore = 3
/** The server forgets what is dropped here only with the connection: so often at most. */
const dropEveryMs = 10_000

/**
 * Statements that are made once for each shape, as to make one takes 45 to 70 µs. Those that are bound carry a mark by
 * which connections keep them prepared; of the others the planner sees the values each time.
 * `compile`: text and parameters of a plan. Bounded in number and, where the server keeps them, in turnover, because
 * clients choose shapes.
 */
export const createShapes = (compile: (plan: QueryPlan) => BoundStatement, now: () => number): Shapes => {
  const uses = new LRUCache<string, number>({ max: 10 * maxPrepared })
  const prepared = new LRUCache<string, Kept>({ max: maxPrepared })
  const texts = new LRUCache<string, Kept>({ max: maxTexts })
  let droppedAt = Number.NEGATIVE_INFINITY

  const isUsed = (shape: string): boolean => {
    const count = (uses.get(shape) ?? 0) + 1
    uses.set(shape, count)
    return count > usesBefore
  }
  const mayPrepare = (): boolean => {
    if (prepared.size < maxPrepared) return true
    if (now() - droppedAt < dropEveryMs) return false
    droppedAt = now()
    return true
  }

  const make = (plan: QueryPlan, isPrepared: boolean): Kept => {
    const { text, values } = compile(withSlots(plan))
    const digest = () => createHash('sha256').update(text).digest('hex').slice(0, 16)
    return { name: isPrepared ? `page_${digest()}` : undefined, text, parameters: values.map(toParameter) }
  }
  const keep = (shape: string, plan: QueryPlan): Kept | undefined => {
    const isPrepared = isBound(plan)
    if (!isUsed(shape) || (isPrepared && !mayPrepare())) return undefined
    const statement = make(plan, isPrepared)
    ;(isPrepared ? prepared : texts).set(shape, statement)
    return statement
  }

  return {
    find(plan) {
      if (!hasOneText(plan)) return undefined
      const shape = shapeOf(plan)
      const statement = prepared.get(shape) ?? texts.get(shape) ?? keep(shape, plan)
      if (!statement) return undefined
      const { name, text, parameters } = statement
      return { name, text, values: parameters.map((read) => read(plan)) }
    },
  }
}
