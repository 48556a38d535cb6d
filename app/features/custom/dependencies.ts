import { listParameters } from './check-templates.ts'
import type { Definition, Node, Rows, Source, Test, Value } from './definition.ts'

const listNodes = (node: Node): Node[] =>
  node.kind === 'object' ? node.members.flatMap(([, member]) => listNodes(member)) : [node]

const listRows = (node: Node): readonly Rows[] => {
  if ('rows' in node) return [node.rows]
  return node.kind === 'merge' ? node.parts : []
}

const isRelativeTest = (test: Test): boolean =>
  test.kind === 'compare'
    ? test.operands.some((operand) => 'literal' in operand && String(operand.literal).startsWith('today'))
    : test.tests.some(isRelativeTest)

const isRelativeValue = (value: Value): boolean => {
  if (value.kind === 'concat') return value.parts.some(isRelativeValue)
  if (value.kind !== 'case') return false
  const { branches, otherwise } = value
  return (
    isRelativeValue(otherwise) ||
    branches.some(([test, then]) => isRelativeTest(test) || isRelativeValue(then))
  )
}

const isRelativeSource = ({ resource, where }: Source): boolean =>
  resource.computedForDay ||
  where.some(({ values }) =>
    values.flat().some((part) => typeof part === 'string' && part.startsWith('today')),
  )

/** A window that a parameter sets counts as well, because the parameter may be optional. */
const usesSettings = ({ resource, where }: Source): boolean =>
  resource.computedForDay &&
  !where.some(({ name, values }) => name === 'expiring_within' && listParameters(values).length === 0)

const listParts = (body: Definition['body']) => {
  const nodes = 'object' in body ? listNodes(body.object) : []
  const rows = 'object' in body ? nodes.flatMap(listRows) : [body.list]
  const joins = rows.flatMap((each) => each.joins)
  return {
    nodes,
    sources: [
      ...nodes.flatMap((node) => ('source' in node ? [node.source] : [])),
      ...rows.map(({ source }) => source),
      ...joins.map(({ source }) => source),
    ],
    selects: [
      ...rows.map(({ select }) => select),
      ...joins.flatMap((join) => (join.kind === 'many' ? [join.select] : [])),
    ],
  }
}

/** Lists every source of a document, including its joins. */
export const listSources = (body: Definition['body']): Source[] => listParts(body).sources

/** Derives the dependencies of responses. A text that may be a relative date counts as one. */
export const listDependencies = (
  body: Definition['body'],
): Pick<Definition, 'dependsOn' | 'dependsOnDay' | 'needsSettings'> => {
  const { nodes, sources, selects } = listParts(body)
  const newest = nodes.flatMap((node) => (node.kind === 'newest' ? node.resources : []))
  const resources = new Set([...sources.flatMap(({ resource }) => resource.reads), ...newest])
  const needsSettings = sources.some(usesSettings)
  const isRelative = selects.flat().some(([, value]) => isRelativeValue(value))
  return {
    // A customer that loses the endpoint must not receive a cached response.
    dependsOn: [...resources, ...(needsSettings ? ['settings'] : []), 'custom'],
    dependsOnDay: isRelative || sources.some(isRelativeSource),
    needsSettings,
  }
}
