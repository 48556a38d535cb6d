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

/** Names of the security schemes. */
const tokenScheme = 'accessToken'
const keyScheme = 'apiKey'

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

/** What the document says of a route. */
const operationOf = (route: Route, writing: Writing): SchemaNode => {
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
  // Who may call it, and one name for it over all its versions, for catalogues of APIs.
  'x-audience': 'external-partner',
  'x-api-id': 'certification-data-api',
  license: { name: "Use under the customer's contract", url: `${publicUrl}/access` },
})

/** `/v1/certificates/:id` → `/v1/certificates/{id}`. */
const templateOf = (path: string) => path.replace(/:([A-Za-z_]+)/g, '{$1}')

/**
 * The OpenAPI 3.1 document of these routes, as plain JSON: the same routes give the same document.
 * `publicUrl`: the origin that clients see. Throws where a route or a schema leaves something unsaid.
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
