import type { FastifySchema } from 'fastify'
import type { ReadResult } from '../app/cache/freshness.ts'
import type { ExportRequest, LiveAnswer } from '../app/export/exports.ts'
import { jsonType } from '../app/http/formats.ts'
import type { QueryString } from '../app/http/pairs.ts'
import type { Principal } from '../app/identity/principal.ts'
import type { Use } from '../app/limits/meters.ts'

export type EndpointRequest = {
  principal: Principal
  params: Readonly<Record<string, string>>
  rawQuery: QueryString
  noCache: boolean
  type: string
  /** `undefined` if the request used the path below `/v1`. */
  canonical: string | undefined
}

export type LiveRequest = EndpointRequest &
  ExportRequest & { lastEventId: string | undefined; reauthorize: () => Promise<Principal> }

type Parsed<Request, Query> = Request & { query: Query }

/** Media types that contain the whole list. `cost`: units of the quota `minute`. */
export type Exporting<Query = unknown> = {
  types: readonly string[]
  cost: number
  /** `undefined` if this data has no such form: the answer is JSON or 406. */
  respond(request: Parsed<LiveRequest, Query>): Promise<LiveAnswer | undefined>
}

export type MinuteCost = (rawQuery: QueryString, accept: string | undefined) => number

/** A data endpoint for GET, HEAD and OPTIONS, under three prefixes. */
export type Endpoint<Query = unknown> = {
  /** Below `/v1`, with `:id` for a record. */
  path: string
  /** `null`: any key may use it. */
  scope: string | null
  /** False if there is no example data: the demo token is refused. */
  demo?: false
  /** The scope that `admit` checked, if it depends on the parameters. */
  getScope?: (params: Readonly<Record<string, string>>) => string
  /** For the audit trail, if the row serves several endpoints. */
  getName?: (params: Readonly<Record<string, string>>) => string
  /** Checks a right that `scope` cannot express. Runs after the plan's check. */
  admit?: (request: {
    principal: Principal
    params: Readonly<Record<string, string>>
  }) => void | Promise<void>
  /** Further scopes that the query needs. Also called for an invalid query. */
  listScopes?: (rawQuery: QueryString) => readonly string[]
  /** In units of the quota `minute`. Defaults to one. */
  minuteCost?: MinuteCost
  /** Takes a slot for a long answer. Runs before the validation, because 429 precedes 400. */
  hold?: (request: LiveRequest) => Promise<void>
  /** `querystring` is `undefined` if each endpoint of the row has its own grammar. */
  schema: FastifySchema & { querystring?: (request: EndpointRequest) => Query }
} & (
  | {
      answer(request: Parsed<EndpointRequest, Query>): ReadResult | Promise<ReadResult>
      exporting?: Exporting<Query>
    }
  /** JSON, computed for each request. */
  | { state: (request: EndpointRequest & { limits: readonly Use[] }) => unknown | Promise<unknown> }
  /** Uncached, with its own media types. `offers` returns those that the query allows. */
  | {
      offers: (rawQuery: QueryString) => readonly string[]
      respond(request: Parsed<LiveRequest, Query>): Promise<LiveAnswer>
    }
)

/** Infers `Query` from the grammar, for the functions of the row. */
export const defineEndpoint = <Query>(row: Endpoint<Query>): Endpoint => row as Endpoint

export const jsonTypes = [jsonType] as const

export const getExporting = (row: Endpoint) => ('answer' in row ? row.exporting : undefined)

export const listTypes = (row: Endpoint): string[] => [...jsonTypes, ...(getExporting(row)?.types ?? [])]
