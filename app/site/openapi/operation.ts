import type { z } from 'zod'
import type { Components } from './components.ts'
import type { Route, SchemaNode } from './description.ts'
import { exampleOf } from './examples.ts'
import { responsesOf, type Writing } from './responses.ts'

/** Names of the security schemes. */
export const tokenScheme = 'accessToken'
export const keyScheme = 'apiKey'

const securityOf = ({ scope, description }: Route): SchemaNode[] => {
  if (scope !== undefined) return [{ [tokenScheme]: [] }]
  // A key in the body is no scheme that the document knows: hence the empty alternative.
  return description.errors.includes('api_key') ? [{}, { [keyScheme]: [] }] : []
}

const conditionHeaders = (components: Components): SchemaNode[] => [
  components.refer('parameters', 'IfNoneMatch', () => ({
    name: 'If-None-Match',
    in: 'header',
    description: 'ETag of the answer that you have. 304 if it is still current',
    schema: { type: 'string', maxLength: 2048 },
    example: 'W/"mHqvXYqkV0jXyVd8Hq2c1w"',
  })),
  components.refer('parameters', 'CacheControl', () => ({
    name: 'Cache-Control',
    in: 'header',
    description: '`no-cache`: an answer at least as new as everything committed before the request arrived',
    schema: { type: 'string', maxLength: 256 },
    example: 'no-cache',
  })),
]

const bodyOf = (body: z.ZodType, required: boolean, type: string, components: Components): SchemaNode => ({
  required,
  content: {
    [type]: { schema: components.referSchema(body, 'request'), example: exampleOf(body) },
  },
})

/** What the document says of a route. */
export const operationOf = (route: Route, writing: Writing): SchemaNode => {
  const { components } = writing
  const { operationId, summary, description, tag, parameters = [], errors } = route.description
  const all = [...parameters, ...(errors.includes('tag') ? conditionHeaders(components) : [])]
  // Where the key may come by HTTP Basic, it comes without a body.
  const { bodyType } = route.description
  const needsBody = bodyType !== undefined || !errors.includes('api_key')
  return {
    operationId,
    summary,
    // In words: scopes beside a bearer scheme are allowed, but linters know them for OAuth flows only.
    description:
      typeof route.scope === 'string' ? `${description} Needs the scope \`${route.scope}\`.` : description,
    tags: [tag.name],
    security: securityOf(route),
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(route.body
      ? { requestBody: bodyOf(route.body, needsBody, bodyType ?? 'application/json', components) }
      : {}),
    responses: responsesOf(route, writing),
  }
}
