import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { QueryString } from '../app/http/pairs.ts'
import type { Principal } from '../app/identity/principal.ts'

export type EndpointParams = Readonly<Record<string, string>>

/** A request that may read the endpoint. Its query is not parsed yet. */
export type EndpointRequest = {
  principal: Principal
  params: EndpointParams
  rawQuery: QueryString
  noCache: boolean
  /** One of the offered media types. */
  type: string
  /** `undefined` if the request used the path below `/v1`. */
  canonical: string | undefined
}

export type MinuteCost = (rawQuery: QueryString, accept: string | undefined) => number

/** What every data endpoint declares. It answers GET, HEAD and OPTIONS, under three prefixes. */
export type EndpointRow = {
  /** Below `/v1`, with `:id` for a record. */
  path: string
  /** `null`: any key may use it. */
  scope: string | null
  /** False if there is no example data: the demo token is refused. */
  demo?: false
  /** The scope that `admit` checked, if it depends on the parameters. */
  getScope?: (params: EndpointParams) => string
  /** For the audit trail, if the row serves several endpoints. */
  getName?: (params: EndpointParams) => string
  /** Checks a right that `scope` cannot express. Runs after the plan's check. */
  admit?: (request: { principal: Principal; params: EndpointParams }) => void | Promise<void>
  /** Further scopes that the query needs. Also called for an invalid query. */
  listScopes?: (rawQuery: QueryString) => readonly string[]
  schema: FastifySchema
}

/** A row as `app.endpoint` registers it. `plugins/data-endpoints.ts` makes one of each kind of data. */
export type Endpoint = EndpointRow & {
  /** In units of the quota `minute`. Defaults to one. */
  minuteCost?: MinuteCost
  /** The media types that the query allows, in order of preference. */
  offers(rawQuery: QueryString): readonly string[]
  handle(asked: EndpointRequest, request: FastifyRequest, reply: FastifyReply): unknown
}
