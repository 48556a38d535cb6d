import type { z } from 'zod'
import { oauthError } from '../../../schemas/auth.ts'
import { problem } from '../../../schemas/problem.ts'
import { catalogue, type ErrorCode } from '../../errors.ts'
import { mediaTypes } from '../../http/formats.ts'
import { problemType } from '../../http/problem.ts'
import type { Components } from './components.ts'
import type { Route, SchemaNode } from './description.ts'
import { errorHeaders, listErrors, type Origin } from './errors.ts'
import { getExample } from './examples.ts'
import {
  commonHeaders,
  describeHeader,
  entryHeaders,
  type HeaderName,
  limitHeaders,
  privateHeaders,
} from './headers.ts'
import { problemExample } from './problem-examples.ts'
import { capitalised } from './words.ts'

export type Writing = Readonly<{ components: Components; publicUrl: string }>

/** Returns the exports as CSV and XLSX, by media type. */
export const tableFiles = (csvExample: string): Readonly<Record<string, SchemaNode>> => ({
  [mediaTypes.csv]: { schema: { type: 'string' }, example: csvExample },
  [mediaTypes.xlsx]: { schema: { type: 'string', format: 'binary' } },
})

const headerNodes = (names: readonly HeaderName[], { components }: Writing): SchemaNode =>
  Object.fromEntries(
    [...names].sort().map((name) => [name, components.refer('headers', name, () => describeHeader(name))]),
  )

const getContent = (type: string, schema: z.ZodType, { components }: Writing): SchemaNode => ({
  [type]: { schema: components.referSchema(schema, 'answer'), example: getExample(schema) },
})

const errorNode = (status: number, codes: readonly ErrorCode[], writing: Writing): SchemaNode => {
  const { components, publicUrl } = writing
  const example = (code: ErrorCode) =>
    components.refer('examples', code, () => ({
      summary: catalogue[code][1],
      value: problemExample(code, publicUrl),
    }))
  return {
    description: codes.map((code) => `\`${code}\`: ${catalogue[code][1]}`).join(' · '),
    headers: headerNodes(errorHeaders(status), writing),
    content: {
      [problemType]: {
        schema: components.referSchema(problem, 'answer'),
        examples: Object.fromEntries(codes.map((code) => [code, example(code)])),
      },
    },
  }
}

/** A status with one code is a component, which operations share. Several codes differ by operation. */
const errorResponse = (status: number, codes: readonly ErrorCode[], writing: Writing): SchemaNode => {
  const node = () => errorNode(status, codes, writing)
  const [code = '', ...others] = codes
  return others.length > 0
    ? node()
    : writing.components.refer('responses', code.split('_').map(capitalised).join(''), node)
}

const oauthMeanings: Readonly<Record<number, readonly [meaning: string, ...headers: HeaderName[]]>> = {
  400: [
    '`invalid_request`: the form cannot be read · `invalid_scope`: the key lacks the scope · ' +
      '`unsupported_grant_type`: only client_credentials · `unauthorized_client`: the plan has no API access',
  ],
  401: ['`invalid_client`: the API key is not valid', 'WWW-Authenticate'],
  403: ['`invalid_request`: TLS is required'],
  405: ['`invalid_request`: the method is not allowed here', 'Allow'],
  413: ['`invalid_request`: the body is too large'],
  414: ['`invalid_request`: the address is too long'],
  415: ['`invalid_request`: the content type is not supported'],
}

/** OAuth's own errors, by status. Other statuses of these endpoints are problem documents. */
const oauthRefusals = (writing: Writing): SchemaNode =>
  Object.fromEntries(
    Object.entries(oauthMeanings).map(([status, [description, ...names]]) => [
      status,
      writing.components.refer('responses', `OAuth${status}`, () => ({
        description,
        headers: headerNodes(['Cache-Control', 'Pragma', 'Request-Id', ...names], writing),
        content: getContent(mediaTypes.json, oauthError, writing),
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

const answerNode = (route: Route, writing: Writing): SchemaNode => {
  const { method, path, response, description } = route
  const { answer, isEmpty, lines, files, schema = response } = description
  const node = { description: answer, headers: headerNodes(answerHeaders(route), writing) }
  if (isEmpty) return node
  if (!schema) throw new Error(`${method} ${path} has no response schema`)
  return {
    ...node,
    content: {
      ...getContent(mediaTypes.json, schema, writing),
      // The schema describes one line, because none can describe a sequence of documents.
      ...(lines ? getContent(lines.type, lines.schema, writing) : {}),
      ...files,
    },
  }
}

/** Returns the answers of a route, by status. */
export const listResponses = (route: Route, writing: Writing): SchemaNode => {
  const { scope, needsLiveToken, description } = route
  const origins = new Set<Origin>(['request', ...description.errors])
  if (scope !== undefined) origins.add('token')
  if (typeof scope === 'string') origins.add('scope')
  if (needsLiveToken) origins.add('live_token')
  const notModified = () => ({
    description: 'The answer with the ETag in If-None-Match is still current',
    headers: headerNodes(entryHeaders, writing),
  })
  const anyOther = () => ({ ...errorNode(500, ['internal_error'], writing), description: 'Any other error' })
  const refusals = description.refusals === 'oauth' ? oauthRefusals(writing) : {}
  const errors = [...listErrors(origins)].filter(([status]) => !(status in refusals))
  return {
    [description.status ?? 200]: answerNode(route, writing),
    ...(origins.has('tag') ? { 304: writing.components.refer('responses', 'NotModified', notModified) } : {}),
    ...Object.fromEntries(errors.map(([status, codes]) => [status, errorResponse(status, codes, writing)])),
    ...refusals,
    // Generators derive their error type from `default`.
    default: writing.components.refer('responses', 'Error', anyOther),
  }
}
