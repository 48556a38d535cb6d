import type { z } from 'zod'
import packageJson from '../../package.json' with { type: 'json' }
import type { House } from '../config/house.ts'
import { mediaTypes } from '../http/formats.ts'
import { resources } from '../records/resources/index.ts'
import { type Components, createComponents } from './components.ts'
import type { Description, Route } from './description.ts'
import { getExample } from './examples.ts'
import type { SchemaNode } from './headers.ts'
import { describeMessages, type MessageDescription } from './messages.ts'
import { headerParameter, toParameterNode } from './parameters.ts'
import { listResponses } from './responses.ts'
import { capitalised, plural } from './words.ts'

const listNouns = (): string => {
  const nouns = Object.values(resources).map(({ noun }) => plural(noun))
  return `${nouns.slice(0, -1).join(', ')} and ${nouns.at(-1)}`
}

const introduction = `${capitalised(listNouns())} of a
certification house's customer. Read-only.

**Authentication.** Exchange the API key for an access token (\`login\`) and send it as
\`Authorization: Bearer …\`.

**Filters.** \`field=value\`, \`field=a,b\` (any of them) and \`field[operator]=value\` are conditions. A record must
meet all of them. An unknown parameter or a wrong value returns 400 with every fault.

**Pages.** Follow \`page.next_cursor\`, or the Link header, until it is null.

**Answers** may grow: ignore fields and accept values that are not described here. An unknown value is null.
Only \`fields\` omits fields. A \`GET\` path also supports \`HEAD\` and \`OPTIONS\`. Errors are problem documents
(RFC 9457).
`

const securitySchemes = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token from `login` (RFC6750, RFC9068, RFC8725)',
  },
  apiKey: {
    type: 'http',
    scheme: 'basic',
    description: 'For logins only: key id and API key, or the API key alone as user name (RFC 7617)',
  },
}

const listSecurity = ({ scope, description }: Route): SchemaNode[] => {
  if (scope !== undefined) return [{ accessToken: [] }]
  // The empty alternative is the key in the body, which no security scheme can describe.
  return description.errors.includes('api_key') ? [{}, { apiKey: [] }] : []
}

const conditionHeaders = {
  IfNoneMatch: headerParameter(
    'If-None-Match',
    'ETag of your copy of the answer. The service returns 304 if it is still current',
    'W/"mHqvXYqkV0jXyVd8Hq2c1w"',
  ),
  CacheControl: headerParameter(
    'Cache-Control',
    '`no-cache`: the answer contains everything that was committed before the request arrived',
    'no-cache',
  ),
}

const listParameters = ({ parameters = [], errors }: Description, components: Components) => [
  ...parameters.map((each) => toParameterNode(each, components)),
  ...Object.entries(errors.includes('tag') ? conditionHeaders : {}).map(([name, header]) =>
    components.refer('parameters', name, () => toParameterNode(header, components)),
  ),
]

const describeBody = (
  body: z.ZodType,
  { bodyType, description: { errors } }: Route,
  components: Components,
) => ({
  // A client that sends its key by HTTP Basic needs no body.
  required: bodyType !== undefined || !errors.includes('api_key'),
  content: {
    [bodyType ?? mediaTypes.json]: {
      schema: components.referSchema(body, 'request'),
      example: getExample(body),
    },
  },
})

const describeOperation = (route: Route, components: Components): SchemaNode => {
  const { scope, body } = route
  const { operationId, summary, description, tag } = route.description
  const parameters = listParameters(route.description, components)
  return {
    operationId,
    summary,
    // The scope is in the text, because linters accept scopes only in the schemes of OAuth.
    description: typeof scope === 'string' ? `${description} Needs the scope \`${scope}\`.` : description,
    tags: [tag.name],
    security: listSecurity(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: describeBody(body, route, components) } : {}),
    responses: listResponses(route, components),
  }
}

type Addresses = Readonly<{ publicUrl: string; contactUrl: string; house: House }>

const describeContact = ({ house, contactUrl }: Addresses): SchemaNode => ({
  name: house.name ?? 'Access and questions',
  url: house.imprintUrl ?? contactUrl,
  ...(house.privacyUrl === undefined ? {} : { 'x-privacy-url': house.privacyUrl }),
})

const describeService = (addresses: Addresses): SchemaNode => ({
  title: 'Certification Data API',
  version: packageJson.version,
  summary: packageJson.description,
  description: introduction,
  contact: describeContact(addresses),
  // For catalogues of APIs. The id stays the same in all versions.
  'x-audience': 'external-partner',
  'x-api-id': 'certification-data-api',
  license: { name: "Use under the customer's contract", url: addresses.contactUrl },
})

/**
 * Creates the OpenAPI 3.1 document of these routes and messages, in their order. Throws if a route or a schema is
 * incomplete.
 */
export const createDocument = (
  routes: readonly Route[],
  messages: readonly MessageDescription[],
  addresses: Addresses,
): SchemaNode => {
  const components = createComponents(addresses.publicUrl)
  const paths: Record<string, Record<string, SchemaNode>> = {}
  for (const route of routes) {
    const { method, path } = route
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = describeOperation(route, components)
  }
  const described = [...routes.map(({ description }) => description), ...messages]
  const tags = new Map(described.map(({ tag }) => [tag.name, tag]))
  return {
    openapi: '3.1.0',
    info: describeService(addresses),
    servers: [{ url: addresses.publicUrl, 'x-internal': false }],
    tags: [...tags.values()],
    paths,
    ...(messages.length > 0 ? { webhooks: describeMessages(messages, components) } : {}),
    components: { ...components.list(), securitySchemes },
  }
}
