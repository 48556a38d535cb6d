import type { LightMyRequestResponse } from 'fastify'
import { z } from 'zod'
import { formatPairs } from '../app/http/pairs.ts'

export type DocumentNode = { [key: string]: DocumentNode } & { $ref?: string; name?: string; enum?: unknown }
export type DocumentResponse = {
  headers?: DocumentNode
  content?: Record<string, { schema: DocumentNode; example?: unknown; examples?: DocumentNode }>
}

export type DocumentParameter = {
  name: string
  in: string
  style?: string
  description: string
  example: string | number | Record<string, string>
  schema: DocumentNode & { default?: unknown }
}
/** Returns the example as a client sends it. The member `lt` of a filter is `name[lt]`. */
export const listPairs = ({ name, example }: DocumentParameter): [name: string, value: string][] =>
  typeof example === 'object'
    ? Object.entries(example).map(([operator, value]) => [`${name}[${operator}]`, value])
    : [[name, String(example)]]
export const toQuery = (parameters: readonly DocumentParameter[]): string =>
  formatPairs(parameters.flatMap(listPairs))

/** Checks answers against the document. `served`: the answer to `GET /openapi.json`. */
export const createDocumentChecks = (served: LightMyRequestResponse) => {
  const document = served.json()
  const resolve = <T>(node: T & { $ref?: string }): T =>
    node.$ref === undefined
      ? node
      : node.$ref
          .split('/')
          .slice(1)
          .reduce((at, key) => at[key], document)

  const definitions = JSON.parse(
    JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
  )
  const validate = (schema: DocumentNode, value: unknown): unknown[] => {
    const $ref = String(schema.$ref).replace('#/components/schemas/', '#/$defs/')
    return z.fromJSONSchema({ $ref, $defs: definitions }).safeParse(value).error?.issues ?? []
  }

  /** Returns the differences between an answer and the documentation of its operation. */
  const listFaults = (path: string, method: string, answer: LightMyRequestResponse): unknown[] => {
    const documented = document.paths[path][method].responses[answer.statusCode] as
      | DocumentResponse
      | undefined
    if (!documented) return [`${path}: ${answer.statusCode} is not documented`]
    const { content, headers = {} } = resolve(documented)
    // A request may be refused before the customer is known, and then has no quota headers.
    const refused = [
      'RateLimit',
      'RateLimit-Policy',
      'Vary',
      ...(answer.statusCode === 403 ? ['WWW-Authenticate'] : []),
    ]
    const optional = [
      'Content-Disposition',
      'Link',
      'Sync-Token',
      ...(answer.statusCode >= 400 ? refused : []),
    ]
    const missing = Object.keys(headers)
      .filter((name) => !optional.includes(name) && answer.headers[name.toLowerCase()] === undefined)
      .map((name) => `${path}: ${answer.statusCode} lacks ${name}`)
    if (answer.headers.vary !== undefined && !('Vary' in headers)) {
      missing.push(`${path}: ${answer.statusCode} does not document Vary`)
    }
    if (!content) return answer.body === '' ? missing : [`${path}: ${answer.statusCode} has a body`]
    const media = content[String(answer.headers['content-type']).split(';')[0] as string]
    return media ? [...missing, ...validate(media.schema, answer.json())] : [`${path}: another media type`]
  }
  const listParameters = (path: string): DocumentParameter[] =>
    (document.paths[path].get.parameters ?? [])
      .map(resolve)
      .filter((each: DocumentParameter) => each.in === 'query')

  /** Returns the names that the API accepts: for a filter, the bare name and one for each operator. */
  const listNames = ({ name, style, schema }: DocumentParameter): string[] =>
    style === 'deepObject'
      ? [name, ...Object.keys(resolve(schema).properties ?? {}).map((operator) => `${name}[${operator}]`)]
      : [name]
  return { resolve, validate, listFaults, listParameters, listNames }
}
