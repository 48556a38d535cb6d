import {
  getAnswer,
  getName,
  getRecord,
  isWhole,
  listPaths,
  listQuery,
  listTypes,
  type OpenApiDocument,
  type Operation,
  otherLists,
  type Parameter,
  pascal,
  type Schema,
} from '../typescript/generate.ts'

const literal = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(value)
  return value === true ? 'True' : value === false ? 'False' : value === null ? 'None' : String(value)
}

const primitives: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

/** A type's expression, and the definitions that must precede it. */
type Typed = { expression: string; before: string }

const typeOfObject = (schema: Schema, name: string): Typed => {
  if (schema.properties) return { expression: name, before: typedDict(schema, name, schema.required ?? []) }
  const { additionalProperties: others } = schema
  if (!others || others === true) return { expression: 'dict[str, Any]', before: '' }
  const { expression, before } = getType(others, name)
  return { expression: `dict[str, ${expression}]`, before }
}

const typeOfOne = (type: string, schema: Schema, name: string): Typed => {
  if (type === 'object') return typeOfObject(schema, name)
  if (type === 'array') {
    const { expression, before } = getType(schema.items ?? {}, name)
    return { expression: `list[${expression}]`, before }
  }
  const primitive = primitives[type]
  if (!primitive) throw new Error(`a schema of type ${type} has no Python`)
  return { expression: primitive, before: '' }
}

const either = (types: readonly Typed[]): Typed => ({
  expression: [...new Set(types.map(({ expression }) => expression))].join(' | '),
  before: types.map(({ before }) => before).join(''),
})

const getType = (schema: Schema, name: string): Typed => {
  if (schema.$ref) return { expression: getName(schema.$ref), before: '' }
  const constants = schema.const === undefined ? schema.enum : [schema.const]
  if (constants) return { expression: `Literal[${constants.map(literal).join(', ')}]`, before: '' }
  if (schema.anyOf) return either(schema.anyOf.map((each) => getType(each, name)))
  const types = [schema.type ?? []].flat()
  return types.length === 0
    ? { expression: 'Any', before: '' }
    : either(types.map((type) => typeOfOne(type, schema, name)))
}

const comment = (text: string | undefined) => (text ? `        # ${text.replaceAll('\n', ' ')}\n` : '')
/**
 * Uses a call instead of a class, because members such as `from` are keywords of Python. Types are strings,
 * so their order is free.
 */
const define = (name: string, members: string, options = '') =>
  `${name} = TypedDict(\n    "${name}",\n    {\n${members}    },\n${options})\n\n`

const typedDict = (schema: Schema, name: string, required: readonly string[]): string => {
  let before = ''
  const members = Object.entries(schema.properties ?? {}).map(([member, each]) => {
    const typed = getType(each, `${name}${pascal(member)}`)
    before += typed.before
    const { expression } = typed
    const type = required.includes(member) ? expression : `NotRequired[${expression}]`
    return `${comment(each.description)}        ${literal(member)}: ${literal(type)},\n`
  })
  return `${before}${define(name, members.join(''))}`
}

const typeOfParameter = ({ name, schema }: Parameter): string => {
  if (schema.enum?.includes('true')) return 'bool'
  if (schema.enum || schema.type !== 'string') return getType(schema, '').expression
  return isWhole(name) ? 'Value' : 'Value | Sequence[Value]'
}

const query = (document: OpenApiDocument, operation: Operation | undefined, name: string): string => {
  const members = listQuery(document, operation).map(
    (each) =>
      `${comment(each.description)}        ${literal(each.name)}: ${literal(`${typeOfParameter(each)} | None`)},\n`,
  )
  return define(name, members.join(''), '    total=False,\n')
}

const generatedHead = '# Generated from the OpenAPI document by `npm run client:types`; not to be edited.\n'

/**
 * Returns a module with the names of a document's resources, and a base class for each client that declares one typed
 * attribute for each. A trailing comma keeps one argument a line, as ruff formats it.
 */
export const generatePythonResources = (document: OpenApiDocument): string => {
  const resources = listPaths(document).map((path) => {
    const name = path.slice('/v1/'.length)
    const { get } = document.paths[path] ?? {}
    const item = document.paths[`${path}/{id}`]?.get
    const schemas = [getRecord(document, path), getAnswer(get), getAnswer(item)]
    const types = [...schemas, `${pascal(name)}Query`, `${pascal(name)}ItemQuery`]
    return { name, types: types.map((type) => `        types.${type},\n`).join('') }
  })
  const declare = (prefix: string) => {
    const attributes = resources.map(({ name, types }) => `    ${name}: ${prefix}Resource[\n${types}    ]\n`)
    return `\n\nclass ${prefix}Resources:\n    """The resources of \`${prefix}Client\`."""\n\n${attributes.join('')}`
  }
  return [
    generatedHead,
    '"""The resources of both clients."""\n\n',
    'from __future__ import annotations\n\n',
    'from . import types\nfrom .async_resource import AsyncResource\nfrom .resource import Resource\n\n',
    `RESOURCES = (\n${resources.map(({ name }) => `    "${name}",\n`).join('')})\n`,
    declare(''),
    declare('Async'),
  ].join('')
}

/**
 * Returns the Python types of a document: its schemas as TypedDicts, and the query parameters of each list. Comments list
 * the known values of enumerations, which may grow. Records are complete: only `fields` omits fields.
 */
export const generatePythonTypes = (document: OpenApiDocument): string => {
  const records = new Set(listPaths(document).map((path) => getRecord(document, path)))
  const types = listTypes(document).map(([name, schema]) => {
    const required = records.has(name) ? Object.keys(schema.properties ?? {}) : (schema.required ?? [])
    return typedDict(schema, name, required)
  })
  const queries = listPaths(document).flatMap((path) => {
    const name = pascal(path.slice('/v1/'.length))
    if (!getAnswer(document.paths[path]?.get)) throw new Error(`${path} answers no schema`)
    return [
      query(document, document.paths[path]?.get, `${name}Query`),
      query(document, document.paths[`${path}/{id}`]?.get, `${name}ItemQuery`),
    ]
  })
  const others = otherLists(document).map(([path, name]) =>
    query(document, document.paths[path]?.get, `${name}Query`),
  )
  return [
    generatedHead,
    '"""The answers and query parameters of each resource."""\n\n',
    'from __future__ import annotations\n\n',
    'from collections.abc import Sequence\nfrom datetime import date\nfrom typing import Any, Literal, Union\n\n',
    'from typing_extensions import NotRequired, TypedDict\n\n',
    '# A value of a condition. Lists are joined with commas, which are escaped within a value.\n',
    'Value = Union[str, int, float, bool, date]\n\n',
    ...types,
    ...queries,
    ...others,
  ].join('')
}
