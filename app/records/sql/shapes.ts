import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { NamedStatement } from '../../db/connect.ts'
import type { QueryPlan } from '../query/plan.ts'
import { type Condition, formatSortKey, rangeOperators } from '../query/query.ts'

/** Whether one PostgreSQL plan fits all values. See docs/decisions/0040-statements-are-kept-prepared.md. */
const isBound = ({ conditions, sort, count }: QueryPlan): boolean =>
  !count &&
  conditions.every(({ field, operator, values }) => {
    if (field === 'id') return operator === 'in' && values.length === 1
    return rangeOperators.includes(operator) && field === sort[0]?.key
  })

/** Longer lists rarely repeat their length, so their statements are not kept. */
const longestList = 8

/** Whether the values are part of the statement's text. */
const isSpelledOut = ({ resource }: QueryPlan, { field, operator }: Condition): boolean =>
  operator === 'null' || resource.fields.get(field)?.computed !== undefined

/** Whether plans of this shape differ only in parameters. A prefix range's end depends on its value. */
const hasOneText = ({ conditions }: QueryPlan): boolean =>
  conditions.every(({ operator, values }) => operator !== 'prefix' && values.length <= longestList)

const conditionShape = (plan: QueryPlan, condition: Condition): string => {
  const { field, operator, values } = condition
  return `${field} ${operator} ${isSpelledOut(plan, condition) ? values.join() : values.length}`
}

const getShape = (plan: QueryPlan): string => {
  const { resource, conditions, sort, after, fields, includes, limit, count, window } = plan
  return [
    resource.name,
    conditions.map((condition) => conditionShape(plan, condition)).join(),
    sort.map(formatSortKey).join(),
    after ? 'after' : '',
    fields?.join() ?? '*',
    includes.join(),
    limit,
    count ? 'count' : '',
    window === undefined ? '' : 'window',
  ].join(';')
}

type ReadValue = (plan: QueryPlan) => unknown

/** Returns the plan with a slot for each value: NUL and the index of the function that reads the value. */
const withSlots = (plan: QueryPlan): { slotted: QueryPlan; readers: readonly ReadValue[] } => {
  const readers: ReadValue[] = []
  const slot = (read: ReadValue) => `\0${readers.push(read) - 1}`
  const slotted = {
    ...plan,
    customerId: slot(({ customerId }) => customerId),
    day: slot(({ day }) => day),
    conditions: plan.conditions.map((each, index) => {
      if (isSpelledOut(plan, each)) return each
      const values = each.values.map((_, place) => slot(({ conditions }) => conditions[index]?.values[place]))
      return { ...each, values }
    }),
    after: plan.after?.map((_, index) => slot(({ after }) => after?.[index])),
    window: plan.window === undefined ? undefined : (slot(({ window }) => window) as unknown as number),
  }
  return { slotted, readers }
}

const toReader = (parameter: unknown, readers: readonly ReadValue[]): ReadValue => {
  if (Array.isArray(parameter)) {
    const elements = parameter.map((each) => toReader(each, readers))
    return (plan) => elements.map((read) => read(plan))
  }
  // The statement may put a letter before a value; see `isMarked` in `conditions.ts`.
  const [before, index] = typeof parameter === 'string' ? parameter.split('\0') : []
  const read = index === undefined ? undefined : readers[Number(index)]
  if (!read) return () => parameter
  return before === '' ? read : (plan) => `${before}${read(plan)}`
}

type CachedStatement = { name: string | undefined; text: string; parameters: readonly ReadValue[] }

export type Shapes = {
  /** Returns the cached statement with the plan's values. `undefined` if the caller must compile it. */
  find(plan: QueryPlan): NamedStatement | undefined
}

/** Each takes about 50 kB on every connection of PostgreSQL. */
const maxPrepared = 100
/** Each takes 4 to 20 kB in this process. */
const maxTexts = 200
const usesBefore = 3
/** Minimum time between replacements: PostgreSQL frees a statement only when its connection ends. */
const dropEveryMs = 10_000

/** Keeps one statement for plans that differ in values only, because compiling one takes 45 to 70 µs. */
export const createShapes = (compile: (plan: QueryPlan) => NamedStatement, now: () => number): Shapes => {
  const uses = new LRUCache<string, number>({ max: 10 * maxPrepared })
  const prepared = new LRUCache<string, CachedStatement>({ max: maxPrepared })
  const texts = new LRUCache<string, CachedStatement>({ max: maxTexts })
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

  const make = (plan: QueryPlan, isPrepared: boolean): CachedStatement => {
    const { slotted, readers } = withSlots(plan)
    const { text, values } = compile({ ...slotted, isPlannedOnce: isPrepared })
    const name = isPrepared ? `page_${hash('sha256', text).slice(0, 16)}` : undefined
    return { name, text, parameters: values.map((value) => toReader(value, readers)) }
  }
  const addStatement = (shape: string, plan: QueryPlan): CachedStatement | undefined => {
    const isPrepared = isBound(plan)
    if (!isUsed(shape) || (isPrepared && !mayPrepare())) return undefined
    const statement = make(plan, isPrepared)
    ;(isPrepared ? prepared : texts).set(shape, statement)
    return statement
  }

  return {
    find(plan) {
      if (!hasOneText(plan)) return undefined
      const shape = getShape(plan)
      const statement = prepared.get(shape) ?? texts.get(shape) ?? addStatement(shape, plan)
      if (!statement) return undefined
      const { name, text, parameters } = statement
      return { name, text, values: parameters.map((read) => read(plan)) }
    },
  }
}
