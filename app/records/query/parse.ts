import type { Pair } from '../../http/pairs.ts'
import type { Field, Resource } from '../resources/define.ts'
import { isAccident } from './accidents.ts'
import {
  controlReaders,
  type Draft,
  type DraftReader,
  isExport,
  pagesOnly,
  type QueryShape,
} from './controls.ts'
import { translateOperator } from './foreign.ts'
import { findNearest } from './nearest.ts'
import {
  correct,
  type FaultyQuery,
  formatMeant,
  type PairReading,
  readPairs,
  readValue,
  refusePair,
  refuseUnknown,
} from './parameters.ts'
import { defaultLimit, getOperators, normalised, type Operator, parseSortKey, type Query } from './query.ts'
import { many, type ParameterReader, refuse, single } from './readers.ts'
import {
  holdsEmptyText,
  isFreeText,
  parseBoolean,
  parseNonEmptyText,
  parseValue,
  refuseAccident,
} from './values.ts'

export type DayParameters = Pick<Query, 'asOf' | 'on' | 'includes'>

export type ParseOutcome = { query: Query } | (FaultyQuery & { parsed: DayParameters })

const filterName = /^([^[\]]+)\[([^[\]]*)\]$/

const filterReader = (field: Field, operator: string, draft: Draft): ParameterReader => {
  const take = (values: readonly string[]) => {
    const normal = normalised[operator] ?? (operator as Operator)
    draft.conditions.push({ field: field.name, operator: normal, values: [...new Set(values)] })
  }
  if (operator === 'null') return single(parseBoolean, (value) => take([value]))
  if (operator === 'prefix') return single(parseNonEmptyText, (value) => take([value]))
  if (operator === 'in' || operator === 'nin' || operator === 'all') {
    const read = many((text) => parseValue(field, text, operator), take)
    // A comma would split an object of JSON into texts.
    return (value) =>
      isFreeText(field) && isAccident(value)
        ? refuse('invalid_value', refuseAccident(field, value).detail)
        : read(value)
  }
  return single(
    (text) => parseValue(field, text, operator),
    (value) => take([value]),
  )
}

export type FilterContext = {
  resource: Resource
  filterable: readonly Field[]
  known: readonly string[]
  draft: Draft
}

/** Guesses unknown operators only: between two known ones a guess could invert the meaning. */
const nearestOperator = (operator: string, allowed: readonly string[]): string | undefined => {
  const translated = translateOperator(operator)
  if (translated === undefined) return findNearest(operator, allowed)
  return allowed.includes(translated) ? translated : undefined
}

/** Reads a condition, `field=value` or `field[operator]=value`, into the draft. */
export const readFilter = ({ name, value }: Pair, context: FilterContext): PairReading => {
  const { resource, filterable, known, draft } = context
  const bracketed = filterName.exec(name)
  const base = bracketed?.[1] ?? name
  const field = filterable.find((each) => each.name === base)
  if (!field) {
    const problem = resource.fields.has(base) ? 'cannot be filtered' : undefined
    const takesOperator = (other: string) => filterable.some((each) => each.name === other)
    return refuseUnknown({ name, value }, { known, takesOperator, problem, resource: resource.name })
  }
  const operator = bracketed ? (bracketed[2] as string) : 'in'
  const operators = getOperators(field)
  if (!operators.includes(operator)) {
    const nearest = nearestOperator(operator, operators)
    const detail = `${field.name} allows: ${operators.join(', ')}`
    return refusePair(name, 'unknown_operator', detail, nearest && `${field.name}[${nearest}]`, value)
  }
  return readValue(name, filterReader(field, operator, draft), value, holdsEmptyText(field))
}

type Grammar = Readonly<{
  controls: ReadonlyMap<string, DraftReader>
  filterable: readonly Field[]
  known: readonly string[]
}>

const createGrammar = (resource: Resource, shape: QueryShape): Grammar => {
  const controls = controlReaders(resource, shape)
  const filterable = shape !== 'item' ? [...resource.fields.values()].filter((field) => field.filter) : []
  const named = [...filterable.map((field) => field.name), ...controls.keys()]
  const known = isExport(shape) ? named.filter((name) => !pagesOnly.includes(name)) : named
  return { controls, filterable, known }
}

const grammars = new WeakMap<Resource, Partial<Record<QueryShape, Grammar>>>()

/** Cached: building a grammar takes longer than the rest of parsing. */
const getGrammar = (resource: Resource, shape: QueryShape): Grammar => {
  const byShape = grammars.get(resource) ?? {}
  grammars.set(resource, byShape)
  byShape[shape] ??= createGrammar(resource, shape)
  return byShape[shape]
}

/** Parses a query string; relative dates stay unresolved. Reports every fault. `parsed`: for `checkAsOf`. */
export const parseQuery = (resource: Resource, shape: QueryShape, rawQuery: string): ParseOutcome => {
  const draft: Draft = { conditions: [] }
  const { controls, filterable, known } = getGrammar(resource, shape)
  const context: FilterContext = { resource, filterable, known, draft }

  const readPair = (pair: Pair): PairReading => {
    const control = controls.get(pair.name)
    return control ? readValue(pair.name, control(draft), pair.value) : readFilter(pair, context)
  }

  const reading = readPairs(rawQuery, readPair)
  const { faults } = reading
  if (faults.length === 0) return { query: complete(resource, shape, draft) }
  const corrected = correct(formatMeant(reading), (meant) => parseQuery(resource, shape, meant))
  const { asOf, on, includes = [], cursor } = draft
  return { faults, parsed: { asOf, on, includes }, corrected, cursor }
}

const complete = (resource: Resource, shape: QueryShape, draft: Draft): Query => ({
  resource,
  sort: [parseSortKey(resource.defaultSort)],
  includes: [],
  limit: isExport(shape) ? Number.POSITIVE_INFINITY : defaultLimit,
  count: false,
  hasByteOrderMark: false,
  ...draft,
})
