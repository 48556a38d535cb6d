import type { z } from 'zod'
import { oauthError } from '../../../schemas/auth.ts'
import { problem } from '../../../schemas/problem.ts'
import { catalogue, type ErrorCode } from '../../errors.ts'
import { problemType } from '../../http/problem.ts'
import type { Components } from './components.ts'
import type { Route, SchemaNode } from './description.ts'
import { errorHeaders, listErrors, type Origin } from './errors.ts'
import { exampleOf } from './examples.ts'
import { describeHeader, entryHeaders, type HeaderName } from './headers.ts'
import { problemExample } from './problem-examples.ts'

const oauthMeanings =
  '`invalid_request`: the form cannot be understood · `invalid_scope`: the key lacks the scope · ' +
  '`unsupported_grant_type`: only client_credentials · `unauthorized_client`: the plan has no API access'

export type Writing = Readonly<{ components: Components; publicUrl: string }>

const headerNodes = (names: readonly HeaderName[], { components }: Writing): SchemaNode =>
  Object.fromEntries(
    [...names]
      .sort()
      .map((name) => [name, components.refer('headers', name, () => describeHeader(name))] as const),
  )

const errorNode = (status: number, codes: readonly ErrorCode[], writing: Writing): SchemaNode => {
  const { components, publicUrl } = writing
  const example = (code: ErrorCode) =>
    components.refer('examples', code, () => ({
      summary: catalogue[code][1],
      value: problemExample(code, publicUrl),
    }))
  return {
    description: codes.map((code) => `\`${code}\`: ${catalogue[code][1]}`).join(' · '),
    headers: headerNodes(errorHeaders(status, codes), writing),
    content: {
      [problemType]: {
        schema: components.referSchema(problem, 'answer'),
        examples: Object.fromEntries(codes.map((code) => [code, example(code)])),
      },
    },
  }
}

const componentName = (code: ErrorCode): string =>
  code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** A status with one code is a shared response. With several codes it belongs to the operation. */
const errorResponse = (status: number, codes: readonly ErrorCode[], writing: Writing): SchemaNode => {
  const [code, ...others] = codes
  if (code === undefined || others.length > 0) return errorNode(status, codes, writing)
  return writing.components.refer('responses', componentName(code), () => errorNode(status, codes, writing))
}

const notModified = (writing: Writing): SchemaNode =>
  writing.components.refer('responses', 'NotModified', () => ({
    description: 'The answer that If-None-Match names is still current',
    headers: headerNodes(entryHeaders, writing),
  }))

/** Generators derive the common error type from it. */
const anyOther = (writing: Writing): SchemaNode =>
  writing.components.refer('responses', 'Error', () => ({
    ...errorNode(500, ['internal_error'], writing),
    description: 'Any other error',
  }))

const originsOf = ({ scope, needsLiveToken, description: { errors } }: Route): Set<Origin> => {
  const origins = new Set<Origin>(['request', ...errors])
  if (scope !== undefined) origins.add('token')
  if (typeof scope === 'string') origins.add('scope')
  if (needsLiveToken) origins.add('live_token')
  return origins
}

const answerOf = (route: Route, writing: Writing): SchemaNode => {
  const { description, headers, isEmpty, inline, lines, files } = route.description.answer
  const schema = route.response
  if (isEmpty) return { description, headers: headerNodes(headers, writing) }
  if (inline) {
    const { others, ...json } = inline
    const content = { 'application/json': json, ...others }
    return { description, headers: headerNodes(headers, writing), content }
  }
  if (!schema) throw new Error(`${route.method} ${route.path} does not say what it answers`)
  return {
    description,
    headers: headerNodes(headers, writing),
    content: {
      'application/json': {
        schema: writing.components.referSchema(schema, 'answer'),
        example: exampleOf(schema),
      },
      ...(lines ? { [lines.type]: linesOf(lines.schema, writing) } : {}),
      ...files,
    },
  }
}

/** Describes one line: a schema cannot describe a sequence of documents. */
const linesOf = (schema: z.ZodType, { components }: Writing): SchemaNode => ({
  schema: components.referSchema(schema, 'answer'),
  example: exampleOf(schema),
})

/** OAuth's errors by status. Errors found before the endpoint's handler are still problems. */
const oauthRefusals = (writing: Writing): SchemaNode => {
  const refusal = (status: number, names: readonly HeaderName[], description: string) =>
    writing.components.refer('responses', `OAuth${status}`, () => ({
      description,
      headers: headerNodes(['Cache-Control', 'Pragma', 'Request-Id', ...names], writing),
      content: {
        'application/json': {
          schema: writing.components.referSchema(oauthError, 'answer'),
          example: exampleOf(oauthError),
        },
      },
    }))
  return {
    400: refusal(400, [], oauthMeanings),
    401: refusal(401, ['WWW-Authenticate'], '`invalid_client`: the API key is not valid'),
    403: refusal(403, [], '`invalid_request`: TLS is required'),
    405: refusal(405, ['Allow'], '`invalid_request`: the method is not allowed here'),
    413: refusal(413, [], '`invalid_request`: the body is too large'),
    414: refusal(414, [], '`invalid_request`: the address is too long'),
    415: refusal(415, [], '`invalid_request`: the content type is not supported'),
  }
}

/** Returns every answer of a route, by status. */
export const responsesOf = (route: Route, writing: Writing): SchemaNode => {
  const origins = originsOf(route)
  const errors = [...listErrors(origins)].map(
    ([status, codes]) => [status, errorResponse(status, codes, writing)] as const,
  )
  const refusals = route.description.refusals === 'oauth' ? oauthRefusals(writing) : {}
  return {
    [route.description.answer.status ?? 200]: answerOf(route, writing),
    ...(origins.has('tag') ? { 304: notModified(writing) } : {}),
    ...Object.fromEntries(errors),
    ...refusals,
    default: anyOther(writing),
  }
}
