import type { z } from 'zod'
import { problem } from '../../schemas/problem.ts'
import { catalogue, type ErrorCode } from '../errors.ts'
import { mediaTypes } from '../http/formats.ts'
import { problemType } from '../http/problem.ts'
import type { Components } from './components.ts'
import type { Refusals, Route } from './description.ts'
import { errorHeaders, listErrors, type Origin } from './errors.ts'
import { getExample } from './examples.ts'
import {
  commonHeaders,
  describeHeader,
  entryHeaders,
  type HeaderName,
  limitHeaders,
  privateHeaders,
  type SchemaNode,
} from './headers.ts'
import { problemExample } from './problem-examples.ts'
import { capitalised } from './words.ts'

/** Returns the exports as CSV and XLSX, by media type. */
export const tableFiles = (csvExample: string): Readonly<Record<string, SchemaNode>> => ({
  [mediaTypes.csv]: { schema: { type: 'string' }, example: csvExample },
  [mediaTypes.xlsx]: { schema: { type: 'string', format: 'binary' } },
})

const headerNodes = (names: readonly HeaderName[], components: Components): SchemaNode =>
  Object.fromEntries(
    [...names].sort().map((name) => [name, components.refer('headers', name, () => describeHeader(name))]),
  )

const getContent = (type: string, schema: z.ZodType, components: Components): SchemaNode => ({
  [type]: { schema: components.referSchema(schema, 'answer'), example: getExample(schema) },
})

const errorNode = (status: number, codes: readonly ErrorCode[], components: Components): SchemaNode => {
  const example = (code: ErrorCode) =>
    components.refer('examples', code, () => ({
      summary: catalogue[code][1],
      value: problemExample(code, components.publicUrl),
    }))
  return {
    description: codes.map((code) => `\`${code}\`: ${catalogue[code][1]}`).join(' · '),
    headers: headerNodes(errorHeaders(status), components),
    content: {
      [problemType]: {
        schema: components.referSchema(problem, 'answer'),
        examples: Object.fromEntries(codes.map((code) => [code, example(code)])),
      },
    },
  }
}

/** A status with one code is a component, which operations share. Several codes differ by operation. */
const errorResponse = (status: number, codes: readonly ErrorCode[], components: Components): SchemaNode => {
  const node = () => errorNode(status, codes, components)
  const [code = '', ...others] = codes
  return others.length > 0
    ? node()
    : components.refer('responses', code.split('_').map(capitalised).join(''), node)
}

/** Errors of another format, by status. Other statuses of these endpoints are problem documents. */
const refusalNodes = ({ prefix, schema, meanings }: Refusals, components: Components): SchemaNode =>
  Object.fromEntries(
    Object.entries(meanings).map(([status, [description, ...names]]) => [
      status,
      components.refer('responses', `${prefix}${status}`, () => ({
        description,
        headers: headerNodes(['Cache-Control', 'Pragma', 'Request-Id', ...names], components),
        content: getContent(mediaTypes.json, schema, components),
      })),
    ]),
  )

const answerHeaders = ({ scope, description: { errors, headers = [] } }: Route): HeaderName[] => [
  ...(errors.includes('tag') ? entryHeaders : commonHeaders),
  ...(scope === undefined ? [] : [...limitHeaders, ...privateHeaders]),
  ...(errors.includes('cursor') ? (['Link'] as const) : []),
  ...(errors.includes('api_key') ? (['Pragma'] as const) : []),
  ...headers,
]

const answerNode = (route: Route, components: Components): SchemaNode => {
  const { method, path, response, description } = route
  const { answer, isEmpty, lines, files, schema = response } = description
  const node = { description: answer, headers: headerNodes(answerHeaders(route), components) }
  if (isEmpty) return node
  if (!schema && !files) throw new Error(`${method} ${path} has no response schema`)
  return {
    ...node,
    content: {
      ...(schema ? getContent(mediaTypes.json, schema, components) : {}),
      // The schema describes one line, because none can describe a sequence of documents.
      ...(lines ? getContent(lines.type, lines.schema, components) : {}),
      ...files,
    },
  }
}

/** Returns the answers of a route, by status. Throws if a schema or an example is missing. */
export const listResponses = (route: Route, components: Components): SchemaNode => {
  const { scope, needsLiveToken, description } = route
  const origins = new Set<Origin>(['request', ...description.errors])
  if (scope !== undefined) origins.add('token')
  if (typeof scope === 'string') origins.add('scope')
  if (needsLiveToken) origins.add('live_token')
  const notModified = () => ({
    description: 'The answer with the ETag in If-None-Match is still current',
    headers: headerNodes(entryHeaders, components),
  })
  const anyOther = () => ({
    ...errorNode(500, ['internal_error'], components),
    description: 'Any other error',
  })
  const refusals = description.refusals ? refusalNodes(description.refusals, components) : {}
  const errors = [...listErrors(origins)].filter(([status]) => !(status in refusals))
  return {
    [description.status ?? 200]: answerNode(route, components),
    ...(origins.has('tag') ? { 304: components.refer('responses', 'NotModified', notModified) } : {}),
    ...Object.fromEntries(
      errors.map(([status, codes]) => [status, errorResponse(status, codes, components)]),
    ),
    ...refusals,
    // Generators derive their error type from `default`.
    default: components.refer('responses', 'Error', anyOther),
  }
}
