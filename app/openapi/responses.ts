import { problem } from '../../schemas/problem.ts'
import { catalogue, type ErrorCode } from '../errors.ts'
import { problemType } from '../http/problem.ts'
import type { Components } from './components.ts'
import type { Node, Route } from './description.ts'
import { errorHeaders, listErrors, type Origin } from './errors.ts'
import { exampleOf } from './examples.ts'
import { describeHeader, entryHeaders, type HeaderName } from './headers.ts'
import { problemExample } from './problem-examples.ts'

/** What the responses are written for. */
export type Writing = Readonly<{ components: Components; publicUrl: string }>

const headerNodes = (names: readonly HeaderName[], { components }: Writing): Node =>
  Object.fromEntries(
    [...names]
      .sort()
      .map((name) => [name, components.refer('headers', name, () => describeHeader(name))] as const),
  )

const errorNode = (status: number, codes: readonly ErrorCode[], writing: Writing): Node => {
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

/** "not_found" → "NotFound". */
const componentName = (code: ErrorCode): string =>
  code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** A status with one code is the same everywhere it occurs; with several it is this operation's own. */
const errorResponse = (status: number, codes: readonly ErrorCode[], writing: Writing): Node => {
  const [code, ...others] = codes
  if (code === undefined || others.length > 0) return errorNode(status, codes, writing)
  return writing.components.refer('responses', componentName(code), () => errorNode(status, codes, writing))
}

const notModified = (writing: Writing): Node =>
  writing.components.refer('responses', 'NotModified', () => ({
    description: 'The answer is still the one that If-None-Match names',
    headers: headerNodes(entryHeaders, writing),
  }))

const originsOf = ({ scope, description: { errors } }: Route): Set<Origin> => {
  const origins = new Set<Origin>(['request', ...errors])
  if (scope !== undefined) origins.add('token')
  if (typeof scope === 'string') origins.add('scope')
  return origins
}

const answerOf = (route: Route, writing: Writing): Node => {
  const { description, headers, schema = route.response } = route.description.answer
  if (!schema) throw new Error(`${route.method} ${route.path} does not say what it answers`)
  return {
    description,
    headers: headerNodes(headers, writing),
    content: {
      'application/json': {
        schema: writing.components.referSchema(schema, 'answer'),
        example: exampleOf(schema),
      },
    },
  }
}

/** Every answer that a route can give, by status. */
export const responsesOf = (route: Route, writing: Writing): Node => {
  const origins = originsOf(route)
  const errors = [...listErrors(origins)].map(
    ([status, codes]) => [status, errorResponse(status, codes, writing)] as const,
  )
  return {
    200: answerOf(route, writing),
    ...(origins.has('tag') ? { 304: notModified(writing) } : {}),
    ...Object.fromEntries(errors),
  }
}
