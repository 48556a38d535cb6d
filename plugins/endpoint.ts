import type { Readable } from 'node:stream'
import type { FastifySchema } from 'fastify'
import type { ReadResult } from '../app/cache/freshness.ts'
import { chooseType } from '../app/http/media-type.ts'
import type { Principal } from '../app/identity/principal.ts'
import type { Ending } from '../app/limits/concurrency.ts'
import type { Use } from '../app/limits/meters.ts'

export type EndpointRequest = {
  principal: Principal
  params: Readonly<Record<string, string>>
  rawQuery: string
  noCache: boolean
  type: string
  /** The address below `/v1`, if another form of the path was used. */
  canonical: string | undefined
}

export type LiveRequest = EndpointRequest & {
  isHead: boolean
  httpVersion: string
  address: string
  /** Closes when the answer was sent or the client disconnects. */
  ending: Ending
  /** HTML Standard, `Last-Event-ID`. */
  lastEventId: string | undefined
  /** Authorizes the request again. Rejects like a new request. */
  judgeAnew: () => Promise<Principal>
  countRows: (rows: number) => void
}

/** `query` is the result of `schema.querystring`. */
type Parsed<Request, Query> = Request & { query: Query }

/** Other media types of a list, for the whole list in its current state. */
export type Exporting<Query = unknown> = {
  types: readonly string[]
  cost: number
  /** `undefined` if the requested data has no such form. */
  respond(request: Parsed<LiveRequest, Query>): Promise<LiveAnswer | undefined>
}

/** Not cached. A stream that fails is cut. `body` is `undefined` for HEAD of a stream. */
export type LiveAnswer = Readonly<{
  type: string
  body: Buffer | Readable | undefined
  headers: Readonly<Record<string, string>>
  next?: string | undefined
  isCompressed?: boolean
}>

export type MinuteCost = (rawQuery: string, accept: string | undefined) => number

/** A data endpoint, with three forms of its path, and GET, HEAD and OPTIONS. */
export type Endpoint<Query = unknown> = {
  /** Below `/v1`, with `:id` for a record. */
  path: string
  /** null accepts any principal. */
  scope: string | null
  /** False if there is no example data. */
  demo?: false
  /** The scope that an admitted request needed, if it depends on the parameters. */
  getScope?: (params: Readonly<Record<string, string>>) => string
  /** The endpoint's name for the audit trail, if the row serves several. */
  getName?: (params: Readonly<Record<string, string>>) => string
  /** Checks a right that `scope` cannot express. Runs after the plan's check. */
  admit?: (request: {
    principal: Principal
    params: Readonly<Record<string, string>>
  }) => void | Promise<void>
  /** Further scopes that the query needs. Also called for an invalid query. */
  listScopes?: (rawQuery: string) => readonly string[]
  /** In units of the quota `minute`. Defaults to one. */
  minuteCost?: MinuteCost
  /** Takes a place for a long answer. Before the validation, because 429 precedes 400. */
  hold?: (request: LiveRequest) => Promise<void>
  /** `querystring` is `undefined` if the grammar depends on the request. */
  schema: FastifySchema & { querystring?: (request: EndpointRequest) => Query }
} & (
  | {
      answer(request: Parsed<EndpointRequest, Query>): ReadResult | Promise<ReadResult>
      exporting?: Exporting<Query>
    }
  /** Current state, never cached. */
  | { state: (request: EndpointRequest & { limits: readonly Use[] }) => unknown | Promise<unknown> }
  /** Uncached, with its own media types. `offers` returns those that the query allows. */
  | {
      offers: (rawQuery: string) => readonly string[]
      respond(request: Parsed<LiveRequest, Query>): Promise<LiveAnswer>
    }
)

/** Types the row's functions by its grammar. */
export const defineEndpoint = <Query>(row: Endpoint<Query>): Endpoint => row as Endpoint

export const jsonTypes = ['application/json'] as const

const getExporting = (row: Endpoint) => ('answer' in row ? row.exporting : undefined)

export const listTypes = (row: Endpoint): string[] => [...jsonTypes, ...(getExporting(row)?.types ?? [])]

/** Live answers are computed for one request: exports, the feed and the audit trail. */
export const isLive = (row: Endpoint, type: string): boolean =>
  'respond' in row || (getExporting(row) !== undefined && type !== jsonTypes[0])

/** Returns the cost of a request to a row in units of the `minute` quota. `undefined` if it is always one. */
export const getCost = (row: Endpoint): MinuteCost | undefined => {
  const exporting = getExporting(row)
  if (!exporting) return row.minuteCost
  const types = listTypes(row)
  return (rawQuery, accept) =>
    exporting.types.includes(chooseType(accept, rawQuery, types) ?? '') ? exporting.cost : 1
}
