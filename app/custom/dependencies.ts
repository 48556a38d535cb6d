import type { Definition, Join, Node, Rows, Select, Source, Test, Value } from './definition.ts'

type Found = { resources: Set<string>; dependsOnDay: boolean; needsSettings: boolean }

const noteSource = ({ resource, where }: Source, found: Found): void => {
  for (const name of resource.reads) found.resources.add(name)
  const isRelative = where.some(({ values }) =>
    values.flat().some((part) => typeof part === 'string' && part.startsWith('today')),
  )
  const hasWindow = where.some(({ name }) => name === 'expiring_within')
  found.dependsOnDay ||= resource.computedForDay || isRelative
  found.needsSettings ||= resource.computedForDay && !hasWindow
}

const noteTest = (test: Test, found: Found): void => {
  if (test.kind !== 'compare') {
    for (const each of test.tests) noteTest(each, found)
    return
  }
  found.dependsOnDay ||= test.operands.some(
    (operand) =>
      'literal' in operand && typeof operand.literal === 'string' && operand.literal.startsWith('today'),
  )
}

const noteValue = (value: Value, found: Found): void => {
  if (value.kind === 'concat') for (const part of value.parts) noteValue(part, found)
  if (value.kind !== 'case') return
  noteValue(value.otherwise, found)
  for (const [test, then] of value.branches) {
    noteTest(test, found)
    noteValue(then, found)
  }
}

const noteSelect = (select: Select, found: Found): void => {
  for (const [, value] of select) noteValue(value, found)
}

const noteJoin = (join: Join, found: Found): void => {
  noteSource(join.source, found)
  if (join.kind === 'many') noteSelect(join.select, found)
}

const noteRows = ({ source, joins, select }: Rows, found: Found): void => {
  noteSource(source, found)
  for (const join of joins) noteJoin(join, found)
  noteSelect(select, found)
}

const noteNode = (node: Node, found: Found): void => {
  if (node.kind === 'object') for (const [, member] of node.members) noteNode(member, found)
  else if ('rows' in node) noteRows(node.rows, found)
  else if (node.kind === 'merge') for (const part of node.parts) noteRows(part, found)
  else if ('source' in node) noteSource(node.source, found)
  else if (node.kind === 'newest') for (const name of node.resources) found.resources.add(name)
}

/**
 * Derives the names in the change log, the day and the window that an answer depends on. A missing dependency
 * makes an answer wrong, so anything that may depend on the day counts.
 */
export const dependenciesOf = (
  body: Definition['body'],
): Pick<Definition, 'dependsOn' | 'dependsOnDay' | 'needsSettings'> => {
  const found: Found = { resources: new Set(), dependsOnDay: false, needsSettings: false }
  if ('object' in body) noteNode(body.object, found)
  else noteRows(body.list, found)
  const { resources, dependsOnDay, needsSettings } = found
  const settings = needsSettings ? ['settings'] : []
  // A customer that loses the endpoint must not receive a cached response.
  return { dependsOn: [...resources, ...settings, 'custom'], dependsOnDay, needsSettings }
}
