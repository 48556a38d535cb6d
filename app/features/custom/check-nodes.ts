import { z } from 'zod'
import type { Field } from '../../records/resources/define.ts'
import { findField } from './check-fields.ts'
import { checkMembers, type FormCheck, fixedForms, form } from './check-forms.ts'
import { checkRows, rowsShape } from './check-rows.ts'
import { checkSource, sourceMembers } from './check-source.ts'
import type { Context } from './check-templates.ts'
import { checkSelect } from './check-values.ts'
import type { Node, Source } from './definition.ts'
import { bounds, count, isObject, nested, resourceName } from './document.ts'
import { type Place, whole } from './faults.ts'

type NodeForm = FormCheck<Context, Node>

const sourceShape = z.strictObject({ from: sourceMembers.from, where: sourceMembers.where })

const readSource = (given: unknown, place: Place, context: Context): Source | undefined => {
  context.tally.sources += 1
  const source = place.read(sourceShape, given)
  return source && checkSource(source, place, context)
}

const counting = (kind: 'count' | 'exists'): NodeForm =>
  form(z.strictObject({ [kind]: nested }), (given, place, context) => {
    const source = readSource(given[kind], place.at(kind), context)
    return source && { kind, source }
  })

const isInteger = ({ kind }: Field) => kind === 'integer'
const isOrdered = ({ kind }: Field) => ['integer', 'date', 'instant'].includes(kind)
/** Names and numbers would form one group per record. */
const isGrouping = ({ name, kind, filter }: Field) =>
  (kind === 'text' || kind === 'boolean') && filter === 'equal' && name !== 'id'

const aggregate = (kind: 'sum' | 'min' | 'max' | 'avg', isFit: (field: Field) => boolean): NodeForm =>
  form(z.strictObject({ [kind]: nested, field: z.string() }), (given, place, context) => {
    const source = readSource(given[kind], place.at(kind), context)
    const field = source && findField(source.resource, given.field as string, isFit, place.at('field'))
    return source && field && { kind, source, field }
  })

const selection = { select: nested.optional(), value: z.unknown().optional() }

type Selection = Readonly<{
  kind: 'first' | 'list'
  rows: unknown
  limit: number
  select?: Record<string, unknown> | undefined
  value?: unknown
}>

const checkSelection = (
  { kind, rows: given, limit, select, value }: Selection,
  place: Place,
  context: Context,
): Node | undefined => {
  const inner = place.at(kind)
  const shape = inner.read(rowsShape, given)
  if (!shape) return undefined
  if ((value === undefined) === (select === undefined))
    return place.addFault('expected either select (objects) or value (a single value each)')
  const rows = checkRows({ ...shape, limit }, inner, context, (scope) =>
    select ? checkSelect(select, place.at('select'), scope) : checkSelect({ value }, place, scope),
  )
  return { kind, plain: !select, rows }
}

const partShape = z.strictObject({ ...rowsShape.shape, select: nested })

const merging: NodeForm = form(
  z.strictObject({
    merge: z.array(nested).min(2).max(4),
    by: z.string(),
    prefer: z.string().optional(),
    limit: count(bounds.listRows).default(bounds.listRows),
  }),
  ({ merge, by, prefer, limit }, place, context) => {
    const checkPart = (part: unknown, index: number) => {
      const inner = place.at('merge', index)
      const read = inner.read(partShape, part)
      if (!read) return undefined
      return checkRows({ ...read, limit }, inner, context, (scope) =>
        checkSelect(read.select, inner.at('select'), scope),
      )
    }
    const parts = whole(merge.map(checkPart))
    if (!parts) return undefined
    const [first = [], ...others] = parts.map(({ select }) => select.map(([name]) => name))
    for (const [index, names] of others.entries()) {
      if (names.join() !== first.join())
        place
          .at('merge', index + 1, 'select')
          .addFault(`expected the members of the first: ${first.join(', ')}`)
    }
    for (const [name, member] of Object.entries({ by, prefer })) {
      if (member !== undefined && !first.includes(member))
        place.at(name).addNameFault(member, 'expected one of', first)
    }
    return { kind: 'merge', parts, by, prefer, limit }
  },
)

/** A member that has one of these keys is read as this form, and any other as a nested object. */
const nodeForms: Record<string, NodeForm> = {
  ...fixedForms,
  count: counting('count'),
  exists: counting('exists'),
  sum: aggregate('sum', isInteger),
  min: aggregate('min', isOrdered),
  max: aggregate('max', isOrdered),
  avg: aggregate('avg', isInteger),
  count_by: form(
    z.strictObject({
      count_by: nested,
      fields: z.array(z.string()).min(1).max(2),
      limit: count(bounds.groups).default(100),
    }),
    ({ count_by, fields: names, limit }, place, context) => {
      const source = readSource(count_by, place.at('count_by'), context)
      if (!source) return undefined
      const find = (name: string, index: number) =>
        findField(source.resource, name, isGrouping, place.at('fields', index))
      const fields = whole(names.map(find))
      return fields && { kind: 'count_by', source, fields, limit }
    },
  ),
  newest: form(
    z.strictObject({ newest: z.array(resourceName).min(1), as: z.enum(['date', 'instant']) }),
    ({ newest, as }, _place, context) => {
      context.tally.sources += 1
      return { kind: 'newest', resources: [...new Set(newest)], as }
    },
  ),
  first: form(z.strictObject({ first: nested, ...selection }), (given, place, context) =>
    checkSelection({ ...given, kind: 'first', rows: given.first, limit: 1 }, place, context),
  ),
  list: form(
    z.strictObject({ list: nested, ...selection, limit: count(bounds.listRows).default(bounds.listRows) }),
    (given, place, context) => checkSelection({ ...given, kind: 'list', rows: given.list }, place, context),
  ),
  merge: merging,
  object: form(z.strictObject({ object: nested }), ({ object }, place, context, depth) =>
    checkObject(object, place.at('object'), context, depth),
  ),
}

const checkNode = (given: unknown, place: Place, context: Context, depth: number): Node | undefined => {
  if (!isObject(given)) {
    const names = Object.keys(nodeForms).join(', ')
    return place.addFault(`expected an object, or one of: ${names}; write a fixed value as { const: … }`)
  }
  const [, check = checkObject] = Object.entries(nodeForms).find(([name]) => name in given) ?? []
  return check(given, place, context, depth + 1)
}

/** Checks an object of named members and adds faults. Keeps valid members. `undefined` if nested too deep. */
export const checkObject = (
  given: Readonly<Record<string, unknown>>,
  place: Place,
  context: Context,
  depth = 1,
): Node | undefined => {
  if (depth > bounds.depth) return place.addFault(`expected objects at most ${bounds.depth} deep`)
  const check = (value: unknown, inner: Place) => checkNode(value, inner, context, depth)
  return { kind: 'object', members: checkMembers(given, place, check) }
}
