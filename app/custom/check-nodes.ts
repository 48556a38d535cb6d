import type { z } from 'zod'
import type { ResourceName } from '../records/resources/define.ts'
import { aggregated, findField, isGrouping } from './check-fields.ts'
import { type Checkers, checkForm, checkMembers } from './check-forms.ts'
import { checkRows } from './check-rows.ts'
import { checkSource } from './check-source.ts'
import { type Context, findParameter } from './check-templates.ts'
import type { Node, Source } from './definition.ts'
import { bounds, isObject, type NodeName, nodeShapes, partShape, rowsShape, sourceShape } from './document.ts'
import { type Path, whole } from './faults.ts'

const readSource = (given: unknown, path: Path, context: Context): Source | undefined => {
  context.tally.sources += 1
  const shape = context.faults.read(sourceShape, given, path)
  return shape && checkSource(shape, path, context)
}

const aggregate =
  (kind: 'sum' | 'min' | 'max' | 'avg') =>
  (given: Record<string, unknown>, path: Path, context: Context): Node | undefined => {
    const source = readSource(given[kind], [...path, kind], context)
    const field =
      source &&
      findField(source.resource, given.field as string, aggregated[kind], [...path, 'field'], context)
    return source && field && { kind, source, field }
  }

const ofRows = (
  kind: 'first' | 'list',
  given: Record<string, unknown>,
  path: Path,
  context: Context,
): Node | undefined => {
  const shape = context.faults.read(rowsShape, given[kind], [...path, kind])
  if (!shape) return undefined
  const plain = given.value !== undefined
  if (plain === (given.select !== undefined))
    return context.faults.add(path, 'expected either select (objects) or value (a single value each)')
  const select = plain
    ? { given: { value: given.value }, path }
    : { given: given.select as Record<string, unknown>, path: [...path, 'select'] }
  const limit = kind === 'first' ? 1 : (given.limit as number)
  return { kind, plain, rows: checkRows(shape, select, limit, [...path, kind], context) }
}

const checkMerge = (
  { merge, by, prefer, limit }: z.output<typeof nodeShapes.merge>,
  path: Path,
  context: Context,
): Node | undefined => {
  const { faults } = context
  const checkPart = (part: unknown, index: number) => {
    const place = [...path, 'merge', index]
    const shape = faults.read(partShape, part, place)
    if (!shape) return undefined
    const select = { given: shape.select, path: [...place, 'select'] }
    return checkRows(shape, select, limit, place, context)
  }
  const parts = whole(merge.map(checkPart))
  if (!parts) return undefined
  const [first = [], ...others] = parts.map(({ select }) => select.map(([name]) => name))
  for (const [index, names] of others.entries()) {
    if (names.join() === first.join()) continue
    faults.add(
      [...path, 'merge', index + 1, 'select'],
      `expected the members of the first: ${first.join(', ')}`,
    )
  }
  for (const [name, member] of Object.entries({ by, prefer })) {
    if (member === undefined || first.includes(member)) continue
    faults.addUnknown([...path, name], member, 'expected one of', first)
  }
  return { kind: 'merge', parts, by, prefer, limit }
}

const counting =
  (kind: 'count' | 'exists') =>
  (given: Record<string, unknown>, path: Path, context: Context): Node | undefined => {
    const source = readSource(given[kind], [...path, kind], context)
    return source && { kind, source }
  }

const checkers: Checkers<typeof nodeShapes, Context, Node> = {
  const: (given) => ({ kind: 'literal', value: given.const }),
  param: ({ param: name }, path, context) => {
    const param = findParameter(name, [...path, 'param'], context)
    return param && { kind: 'param', param }
  },
  count: counting('count'),
  exists: counting('exists'),
  sum: aggregate('sum'),
  min: aggregate('min'),
  max: aggregate('max'),
  avg: aggregate('avg'),
  count_by: (given, path, context) => {
    const source = readSource(given.count_by, [...path, 'count_by'], context)
    if (!source) return undefined
    const find = (name: string, index: number) =>
      findField(source.resource, name, isGrouping, [...path, 'fields', index], context)
    const fields = whole(given.fields.map(find))
    return fields && { kind: 'count_by', source, fields, limit: given.limit ?? 100 }
  },
  newest: ({ newest, as }, _path, context) => {
    context.tally.sources += 1
    return { kind: 'newest', resources: [...new Set(newest)] as ResourceName[], as }
  },
  first: (given, path, context) => ofRows('first', given, path, context),
  list: (given, path, context) => ofRows('list', given, path, context),
  merge: checkMerge,
  object: ({ object }, path, context, depth) => checkObject(object, [...path, 'object'], context, depth),
}

const nodeNames = Object.keys(nodeShapes) as NodeName[]

const checkNode = (given: unknown, path: Path, context: Context, depth: number): Node | undefined => {
  if (!isObject(given))
    return context.faults.add(
      path,
      `expected an object, or one of: ${nodeNames.join(', ')}; write a fixed value as { const: … }`,
    )
  const name = nodeNames.find((each) => each in given)
  if (name === undefined) return checkObject(given, path, context, depth + 1)
  return checkForm(nodeShapes, checkers, name, given, path, context, depth + 1)
}

/** Checks an object of named members. Returns `undefined` if it is nested too deep. */
export const checkObject = (
  given: Readonly<Record<string, unknown>>,
  path: Path,
  context: Context,
  depth = 1,
): Node | undefined => {
  if (depth > bounds.depth) return context.faults.add(path, `expected objects at most ${bounds.depth} deep`)
  const check = (value: unknown, place: Path) => checkNode(value, place, context, depth)
  return { kind: 'object', members: checkMembers(given, path, context, check) }
}
