import type { z } from 'zod'
import packageJson from '../../../package.json' with { type: 'json' }
import { type Components, createComponents } from './components.ts'
import { maxHeadBytes } from './controls.ts'
import type { Route, SchemaNode } from './description.ts'
import { exampleOf } from './examples.ts'
import { responsesOf, type Writing } from './responses.ts'
import { describeWebhooks, webhookTag } from './webhooks.ts'

const introduction = `Certificates, products, projects, countries, test reports and approvals of a
certification house's customer. Read-only.

**Authentication.** Exchange the API key for an access token (\`login\`) and send it as
\`Authorization: Bearer …\`.

**Queries.** Conditions are parameters: \`field=value\`, \`field=a,b\` (any of them),
\`field[operator]=value\`. All must hold. An unknown parameter or a wrong value is a 400 that names every
fault; nothing is ignored.

**Pages.** Follow \`page.next_cursor\`, or the Link header, until it is null.

**Answers** may grow: tolerate fields and values that are not described here. Unknown knowledge is null,
never an absent field; only \`fields\` leaves fields out. A \`GET\` path also answers \`HEAD\` and
\`OPTIONS\`. Errors are problem documents (RFC 9457).
`

const tokenScheme = 'accessToken'
const keyScheme = 'apiKey'

const securityOf = ({ scope, description }: Route): SchemaNode[] => {
  if (scope !== undefined) return [{ [tokenScheme]: [] }]
  // No security scheme describes a key in the body, so an empty alternative is needed.
  return description.errors.includes('api_key') ? [{}, { [keyScheme]: [] }] : []
}

const conditionHeaders = (components: Components): SchemaNode[] => [
  components.refer('parameters', 'IfNoneMatch', () => ({
    name: 'If-None-Match',
    in: 'header',
    description: 'ETag of the answer that you have. 304 if it is still current',
    schema: { type: 'string', maxLength: maxHeadBytes },
    example: 'W/"mHqvXYqkV0jXyVd8Hq2c1w"',
  })),
  components.refer('parameters', 'CacheControl', () => ({
    name: 'Cache-Control',
    in: 'header',
    description: '`no-cache`: an answer at least as new as everything committed before the request arrived',
    schema: { type: 'string', maxLength: maxHeadBytes },
    example: 'no-cache',
  })),
]

const bodyOf = (body: z.ZodType, required: boolean, type: string, components: Components): SchemaNode => ({
  required,
  content: {
    [type]: { schema: components.referSchema(body, 'request'), example: exampleOf(body) },
  },
})

const operationOf = (route: Route, writing: Writing): SchemaNode => {
  const { components } = writing
  const { operationId, summary, description, tag, parameters = [], errors } = route.description
  const all = [...parameters, ...(errors.includes('tag') ? conditionHeaders(components) : [])]
  // With HTTP Basic, a key is sent without a body.
  const { bodyType } = route
  const needsBody = bodyType !== undefined || !errors.includes('api_key')
  return {
    operationId,
    summary,
    // In the text: scopes of a bearer scheme are allowed, but linters expect them for OAuth flows only.
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

const securitySchemes = {
  [tokenScheme]: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token that `login` answers (RFC6750, RFC9068, RFC8725)',
  },
  [keyScheme]: {
    type: 'http',
    scheme: 'basic',
    description: 'For logins only: key id and API key, or the API key alone as user name (RFC 7617)',
  },
}

const infoOf = (publicUrl: string): SchemaNode => ({
  title: 'Certification Data API',
  version: packageJson.version,
  summary: packageJson.description,
  description: introduction,
  contact: { name: 'Access and questions', url: `${publicUrl}/access` },
  // The audience, and an id that is the same in all versions, for API catalogues.
  'x-audience': 'external-partner',
  'x-api-id': 'certification-data-api',
  license: { name: "Use under the customer's contract", url: `${publicUrl}/access` },
})

const templateOf = (path: string) => path.replace(/:([A-Za-z_]+)/g, '{$1}')

/**
 * Creates the OpenAPI 3.1 document of these routes, as plain JSON. The same routes give the same document.
 * `publicUrl` is the origin that clients see. Throws if a route or a schema is incomplete.
 */
export const createDocument = (routes: readonly Route[], publicUrl: string): SchemaNode => {
  const components = createComponents()
  const paths: Record<string, Record<string, SchemaNode>> = {}
  for (const route of routes) {
    const path = templateOf(route.path)
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operationOf(route, { components, publicUrl }),
    }
  }
  const webhooks = describeWebhooks(components)
  const tags = new Map(routes.map(({ description: { tag } }) => [tag.name, tag]))
  return {
    openapi: '3.1.0',
    info: infoOf(publicUrl),
    servers: [{ url: publicUrl, 'x-internal': false }],
    tags: [...tags.values(), webhookTag],
    paths,
    webhooks,
    components: { ...components.list(), securitySchemes },
  }
}
