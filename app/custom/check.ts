import { createHash } from 'node:crypto'
import { checkObject } from './check-nodes.ts'
import { checkParameters } from './check-parameters.ts'
import { checkRows } from './check-rows.ts'
import type { Context } from './check-templates.ts'
import type { Definition, List } from './definition.ts'
import { listDependencies } from './dependencies.ts'
import { bounds, documentShape, listShape } from './document.ts'
import { createFaults, DocumentError, type Path } from './faults.ts'

const defaultLimit = 50

const checkFilters = (
  names: readonly string[],
  list: Omit<List, 'filters'>,
  path: Path,
  context: Context,
): string[] => {
  const { faults, params } = context
  const { resource } = list.source
  const known = [...resource.fields.values()].filter((field) => field.filter).map((field) => field.name)
  for (const [index, name] of names.entries()) {
    if (!known.includes(name)) {
      faults.addUnknown([...path, index], name, `${resource.name} filters`, known)
    } else if (params.has(name)) {
      faults.add([...path, index], `${name} is a parameter already`)
    }
  }
  return [...new Set(names)]
}

const checkList = (given: unknown, path: Path, context: Context): List | undefined => {
  const shape = context.faults.read(listShape, given, path)
  if (!shape) return undefined
  const { limit = defaultLimit, filters = [], select, ...rows } = shape
  const checked = checkRows(rows, { given: select, path: [...path, 'select'] }, limit, path, context)
  return { ...checked, filters: checkFilters(filters, checked, [...path, 'filters'], context) }
}

/** Checks the result of `readText` against the resources. Throws a DocumentError with every fault. */
export const checkDocument = (document: unknown): Definition => {
  const faults = createFaults()
  const shape = faults.read(documentShape, document, [])
  if (!shape) throw new DocumentError(faults.list)
  const { name, revision, title, description } = shape
  if ((shape.object === undefined) === (shape.list === undefined)) {
    faults.add([], 'expected either object or list')
    throw new DocumentError(faults.list)
  }
  const params = checkParameters(shape.params ?? {}, ['params'], faults)
  const tally = { sources: 0, joins: 0 }
  const context: Context = { faults, params, tally }
  const object = shape.object && checkObject(shape.object, ['object'], context)
  const list = shape.list === undefined ? undefined : checkList(shape.list, ['list'], context)
  if (tally.sources > bounds.sources) {
    faults.add([], `expected at most ${bounds.sources} sources, got ${tally.sources}`)
  }
  const body = object ? { object } : list && { list }
  if (faults.list.length > 0 || !body) throw new DocumentError(faults.list)
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('base64url').slice(0, 12)
  return { name, revision, title, description, params, body, digest, ...listDependencies(body) }
}
