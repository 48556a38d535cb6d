/** A JSON Schema with the members that the service uses. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  'x-extensible-enum'?: string[]
  additionalProperties?: Schema | boolean
}
export type Parameter = { name: string; in: string; style?: string; description: string; schema: Schema }
export type Operation = {
  parameters?: (Parameter & { $ref?: string })[]
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

/** The parts of an OpenAPI document that the types use. */
export type OpenApiDocument = {
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value)
const key = (name: string) => (/^[a-z_]\w*$/i.test(name) ? name : literal(name))
export const getName = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)
const comment = (text: string | undefined, indent: string) =>
  text ? `${indent}/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n` : ''

const primitives: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** Known values and any other text: `string & {}` keeps the known values in an editor's completion list. */
const openUnion = (values: readonly string[]) => `${values.map(literal).join(' | ')} | (string & {})`

const getObject = (schema: Schema, indent: string, required: (name: string) => boolean): string => {
  const { properties, additionalProperties: others } = schema
  if (!properties) {
    return others && others !== true
      ? `Record<string, ${getType(others, indent)}>`
      : 'Record<string, unknown>'
  }
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, member]) => {
    const mark = required(name) ? '' : '?'
    return `${comment(member.description, inner)}${inner}${key(name)}${mark}: ${getType(member, inner)}\n`
  })
  return `{\n${members.join('')}${indent}}`
}

const typeOfOne = (type: string, schema: Schema, indent: string): string => {
  if (type === 'array') {
    const item = getType(schema.items ?? {}, indent)
    return / \| /.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
  }
  if (type === 'object') return getObject(schema, indent, (name) => schema.required?.includes(name) ?? false)
  const open = schema['x-extensible-enum']
  if (type === 'string' && open) return openUnion(open)
  const primitive = primitives[type]
  if (!primitive) throw new Error(`a schema of type ${type} has no TypeScript`)
  return primitive
}

const getType = (schema: Schema, indent: string): string => {
  if (schema.$ref) return getName(schema.$ref)
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (schema.anyOf) return schema.anyOf.map((each) => getType(each, indent)).join(' | ')
  const types = [schema.type ?? []].flat()
  if (types.length === 0) return 'unknown'
  return types.map((type) => typeOfOne(type, schema, indent)).join(' | ')
}

export const getAnswer = (operation: Operation | undefined): string =>
  getName(operation?.responses[200]?.content?.['application/json']?.schema.$ref ?? '')

/** Paths of lists whose records have a path, too. */
export const listPaths = ({ paths }: OpenApiDocument) =>
  Object.keys(paths).filter((path) => paths[`${path}/{id}`])

/** The schemas of answers and bodies. Filters become query parameters instead. */
export const listTypes = ({ components }: OpenApiDocument) =>
  Object.entries(components.schemas).filter(([name]) => !name.endsWith('Filter'))

export const getRecord = ({ paths, components }: OpenApiDocument, path: string): string =>
  getName(components.schemas[getAnswer(paths[path]?.get)]?.properties?.data?.items?.$ref ?? '')

/** Lists whose records have no path (changes, history, audit trail), with the names of their types. */
export const otherLists = (document: OpenApiDocument): [path: string, name: string][] => {
  const resources = listPaths(document)
  const isList = (path: string) =>
    document.components.schemas[getAnswer(document.paths[path]?.get)]?.properties?.data?.items !== undefined
  const paths = Object.keys(document.paths).filter(
    (path) => path.startsWith('/v1/') && !path.includes('{') && !resources.includes(path) && isList(path),
  )
  return paths.map((path) => [path, pascal(path.slice('/v1/'.length))])
}

/** The type name of a path: `history/by_day` becomes HistoryByDay. */
export const pascal = (name: string) =>
  name.replace(/(?:^|[_/])([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Whether a parameter has one value instead of a list. */
export const isWhole = (name: string) =>
  /\[(eq|ne|gt|gte|lt|lte|prefix|null)\]$/.test(name) || /^(cursor|on|as_of|since|until|after)$/.test(name)

/**
 * The query parameters of an operation except `format`, which the clients choose. A filter, which the document describes
 * as an object, becomes one parameter for its name alone and one for each operator.
 */
export const listQuery = (document: OpenApiDocument, operation: Operation | undefined): Parameter[] =>
  (operation?.parameters ?? [])
    .filter(({ in: place, name }) => place === 'query' && name !== 'format')
    .flatMap(({ schema, ...parameter }) => {
      if (parameter.style !== 'deepObject') return [{ schema, ...parameter }]
      const { properties = {} } = document.components.schemas[getName(schema.$ref ?? '')] ?? {}
      const text: Schema = { type: 'string' }
      const operators = Object.entries(properties).map(([operator, member]) => {
        const name = `${parameter.name}[${operator}]`
        return { ...parameter, name, description: member.description ?? '', schema: member }
      })
      return [{ ...parameter, schema: text }, ...operators]
    })

const typeOfParameter = ({ name, schema }: Parameter): string => {
  if (schema.enum?.includes('true')) return 'boolean'
  if (schema.enum || schema.type !== 'string') return getType(schema, '')
  return isWhole(name) ? 'Value' : 'Value | readonly Value[]'
}

const getQuery = (document: OpenApiDocument, operation: Operation | undefined, indent: string): string => {
  // The client does not read CSV pages, so `bom` is of no use.
  const parameters = listQuery(document, operation).filter(({ name }) => name !== 'bom')
  const lines = parameters.map(
    (each) =>
      `${comment(each.description, `${indent}  `)}${indent}  ${key(each.name)}?: ${typeOfParameter(each)}\n`,
  )
  return `{\n${lines.join('')}${indent}}`
}

const getResource = (document: OpenApiDocument, path: string): string[] => {
  const list = document.paths[path]?.get
  const item = document.paths[`${path}/{id}`]?.get
  return [
    `  ${path.slice('/v1/'.length)}: {\n`,
    `    record: ${getRecord(document, path)}\n    page: ${getAnswer(list)}\n    answer: ${getAnswer(item)}\n`,
    `    query: ${getQuery(document, list, '    ')}\n    itemQuery: ${getQuery(document, item, '    ')}\n  }\n`,
  ]
}

/**
 * Returns the TypeScript types of a document: its schemas, and the query parameters of each list. Known values are open
 * unions. Records are complete: only `fields` omits fields, and the client narrows the types by it.
 * See docs/decisions/0044-client-types-have-their-own-generator.md.
 */
export const generateTypes = (document: OpenApiDocument): string => {
  const records = new Set(listPaths(document).map((path) => getRecord(document, path)))
  const types = listTypes(document).map(([name, schema]) => {
    const type = records.has(name) ? getObject(schema, '', () => true) : getType(schema, '')
    return `${comment(schema.description, '')}export type ${name} = ${type}\n`
  })
  const resources = listPaths(document).flatMap((path) => getResource(document, path))
  const others = otherLists(document).map(
    ([path, name]) =>
      `/** The query parameters of \`${path}\`. */\nexport type ${name}Query = ${getQuery(document, document.paths[path]?.get, '')}\n`,
  )
  return [
    '// Generated from the OpenAPI document by `npm run client:types`; not to be edited.\n',
    '/** A value of a condition. Lists are joined with commas, which are escaped within a value. */',
    'export type Value = string | number | boolean\n',
    ...types,
    ...others,
    '/** The answers and query parameters of each resource. */',
    `export type Resources = {\n${resources.join('')}}\n`,
  ].join('\n')
}
