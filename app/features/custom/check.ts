import { createHash } from 'node:crypto'
import { z } from 'zod'
import { checkObject } from './check-nodes.ts'
import { checkParameters } from './check-parameters.ts'
import { checkRows, rowsShape } from './check-rows.ts'
import type { Context } from './check-templates.ts'
import { checkSelect } from './check-values.ts'
import type { Definition, List } from './definition.ts'
import { listDependencies } from './dependencies.ts'
import { bounds, count, nested, text } from './document.ts'
import { createPlace, DocumentError, type DocumentFault, type Place } from './faults.ts'

const documentShape = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'expected 1 to 64 of a-z 0-9 -, not beginning with -'),
  revision: z.int().min(1).max(1_000_000),
  title: text.optional(),
  description: text.optional(),
  params: nested.default({}),
  object: nested.optional(),
  list: z.unknown().optional(),
})

const listShape = z.strictObject({
  ...rowsShape.shape,
  limit: count(bounds.pageRows).default(50),
  filters: z.array(z.string()).max(bounds.members).default([]),
  select: nested,
})

const checkList = (given: unknown, place: Place, context: Context): List | undefined => {
  const shape = place.read(listShape, given)
  if (!shape) return undefined
  const rows = checkRows(shape, place, context, (scope) =>
    checkSelect(shape.select, place.at('select'), scope),
  )
  const { resource } = rows.source
  const known = [...resource.fields.values()].filter((field) => field.filter).map((field) => field.name)
  for (const [index, name] of shape.filters.entries()) {
    const inner = place.at('filters', index)
    if (!known.includes(name)) inner.addNameFault(name, `${resource.name} filters`, known)
    else if (context.params.has(name)) inner.addFault(`${name} is a parameter already`)
  }
  return { ...rows, filters: [...new Set(shape.filters)] }
}

/** Checks a parsed document against the resources. Throws a DocumentError with every fault. */
export const checkDocument = (document: unknown): Definition => {
  const faults: DocumentFault[] = []
  const place = createPlace(faults)
  const shape = place.read(documentShape, document)
  if (!shape) throw new DocumentError(faults)
  const { name, revision, title, description } = shape
  if ((shape.object === undefined) === (shape.list === undefined)) {
    place.addFault('expected either object or list')
    throw new DocumentError(faults)
  }
  const params = checkParameters(shape.params, place.at('params'))
  const tally = { sources: 0, joins: 0 }
  const context: Context = { params, tally }
  const object = shape.object && checkObject(shape.object, place.at('object'), context)
  const list = object ? undefined : checkList(shape.list, place.at('list'), context)
  if (tally.sources > bounds.sources)
    place.addFault(`expected at most ${bounds.sources} sources, got ${tally.sources}`)
  const body = object ? { object } : list && { list }
  if (faults.length > 0 || !body) throw new DocumentError(faults)
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('base64url').slice(0, 12)
  return { name, revision, title, description, params, body, digest, ...listDependencies(body) }
}
