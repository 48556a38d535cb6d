import type { Readable } from 'node:stream'
import type { FastifySchema } from 'fastify'
import type { Answer } from '../app/cache/question.ts'
import type { Principal } from '../app/identity/principal.ts'
import type { Ending } from '../app/limits/concurrency.ts'
import type { Use } from '../app/limits/meters.ts'

/** A request that has passed every check before its query. */
export type EndpointRequest = {
  principal: Principal
  params: Readonly<Record<string, string>>
  rawQuery: string
  noCache: boolean
  /** The negotiated media type. */
  type: string
  /** The address below `/v1`, if the request used another form of the path. */
  canonical: string | undefined
}

export type LiveRequest = EndpointRequest & {
  isHead: boolean
  httpVersion: string
  address: string
  /** Closes when the answer is sent or the client disconnects. */
  ending: Ending
  /** Id of the last event received before the stream broke (HTML Standard, `Last-Event-ID`). */
  lastEventId: string | undefined
  /** Authorizes the request again with current rights. Rejects like a new request. */
  judgeAnew: () => Promise<Principal>
  countRows: (rows: number) => void
}

/** `query` is the result of `schema.querystring`. */
type Parsed<Request, Query> = Request & { query: Query }

/** Other media types of a list. They hold the whole list in its current state. */
export type Exporting<Query = unknown> = {
  types: readonly string[]
  /** Units of the quota `minute`. */
  cost: number
  /** `type` is one of `types`. Resolves to `undefined` if the requested data has no such form. */
  respond(request: Parsed<LiveRequest, Query>): Promise<LiveAnswer | undefined>
}

/** An answer that is not cached. A stream that fails is cut. `body` is `undefined` for HEAD of a stream. */
export type LiveAnswer = Readonly<{
  type: string
  body: Buffer | Readable | undefined
  headers: Readonly<Record<string, string>>
  next?: string | undefined
  /** Disables content coding: the body is already compressed, or each chunk must be sent immediately. */
  isCompressed?: boolean
}>

export type MinuteCost = (rawQuery: string, accept: string | undefined) => number

/** A data endpoint. One row serves three forms of its path, with GET, HEAD and OPTIONS. */
export type Endpoint<Query = unknown> = {
  /** Below `/v1`, with `:id` for a record. */
  path: string
  /** The required scope; null accepts any principal. There is no default, so that none is forgotten. */
  scope: string | null
  /** False if there is no example data, so that the demo token is refused (403 `live_token_required`). */
  demo?: false
  /** Returns the scope that an admitted request needed, if it depends on the parameters. */
  scopeOf?: (params: Readonly<Record<string, string>>) => string
  /** Returns the endpoint's name for the audit trail, if the row serves several. */
  nameOf?: (params: Readonly<Record<string, string>>) => string
  /** Checks the principal's right to the row if `scope` cannot express it. Runs after the plan's check. */
  admit?: (request: {
    principal: Principal
    params: Readonly<Record<string, string>>
  }) => void | Promise<void>
  /** Returns further scopes that the query needs. It also works for an invalid query. */
  scopesOf?: (rawQuery: string) => readonly string[]
  /** Cost of a request in units of the quota `minute`. Optional. Defaults to one. */
  minuteCost?: MinuteCost
  /** Takes a place for a long answer before the query is validated, because 429 precedes 400. */
  hold?: (request: LiveRequest) => Promise<void>
  /** `querystring` is `undefined` only if the grammar is not known before the request. */
  schema: FastifySchema & { querystring?: (request: EndpointRequest) => Query }
} & (
  | {
      answer(request: Parsed<EndpointRequest, Query>): Answer | Promise<Answer>
      exporting?: Exporting<Query>
    }
  /** Current state, never cached: `Cache-Control: no-store`, no ETag. */
  | { state: (request: EndpointRequest & { limits: readonly Use[] }) => unknown | Promise<unknown> }
  /** Uncached, with its own parameters and media types. `offers` returns the types that the query allows. */
  | {
      offers: (rawQuery: string) => readonly string[]
      respond(request: Parsed<LiveRequest, Query>): Promise<LiveAnswer>
    }
)

/** Types the row's functions by the result of its grammar. */
export const defineEndpoint = <Query>(row: Endpoint<Query>): Endpoint => row as Endpoint
