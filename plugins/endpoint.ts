import type { Readable } from 'node:stream'
import type { FastifySchema, preHandlerHookHandler } from 'fastify'
import type { Answer } from '../app/cache/question.ts'
import { splitTarget } from '../app/http/pairs.ts'
import type { Principal } from '../app/identity/principal.ts'
import type { Ending } from '../app/limits/concurrency.ts'
import type { Use } from '../app/limits/meters.ts'
import { refuseParameters } from '../app/records/query/no-parameters.ts'

/** What a row's `answer` gets: who asks, and the request's own parts. */
export type EndpointRequest = {
  principal: Principal
  params: Readonly<Record<string, string>>
  rawQuery: string
  noCache: boolean
}

/** What a row's `respond` gets beside: whom it answers, and until when. */
export type LiveRequest = EndpointRequest & {
  isHead: boolean
  /** `1.0`, `1.1` or `2.0`. */
  httpVersion: string
  /** The client's address. */
  address: string
  /** Closes when the answer is sent, or its client is gone. */
  ending: Ending
  /** The event that the client saw last, of a stream that broke (HTML Standard, `Last-Event-ID`). */
  lastEventId: string | undefined
  /**
   * Judges the request once more, by the rights of now, and returns who asks. Rejects as the request would be refused if
   * it came now.
   */
  judgeAnew: () => Promise<Principal>
  /** Adds records to those that the answer is known to hold. */
  countRows: (rows: number) => void
}

/** A list's other media types: the whole of it, as it is now. */
export type Exporting = {
  types: readonly string[]
  /** Units of the quota `minute`. */
  cost: number
  /** `type`: one of `types`. Undefined: what is asked for here has no such form. */
  respond: (request: LiveRequest & { type: string }) => Promise<LiveAnswer | undefined>
}

/** An answer that is not kept. A stream that fails is cut. `body` is `undefined` in the answer to HEAD of a stream. */
export type LiveAnswer = Readonly<{
  type: string
  body: Buffer | Readable | undefined
  headers: Readonly<Record<string, string>>
  /** Path and query of the next page. */
  next?: string | undefined
  /** Whether the body gets no content coding: it is compressed already, or each piece must go out at once. */
  isCompressed?: boolean
}>

/** Units of the quota `minute`, by what is asked for. */
export type MinuteCost = (rawQuery: string, accept: string | undefined) => number

/** A data endpoint. One row serves three forms of its path, GET, HEAD and OPTIONS. */
export type Endpoint = {
  /** Below `/v1`, with `:id` where a record is named. */
  path: string
  /** The scope it needs; null: any principal. There is no default, so none is forgotten. */
  scope: string | null
  /** False: there is no example data for it, so the demo token is refused (403 `live_token_required`). */
  demo?: false
  /** Of a row whose scope depends on what is asked for: the one that was needed, where it was admitted. */
  scopeOf?: (params: Readonly<Record<string, string>>) => string
  /** Of a row that stands for several endpoints: which one, for the audit trail. */
  nameOf?: (params: Readonly<Record<string, string>>) => string
  /** Whether this principal may ask at all, where that is not of the row: judged after the plan. */
  admit?: (request: {
    principal: Principal
    params: Readonly<Record<string, string>>
  }) => void | Promise<void>
  /** Returns further scopes that the query needs. It also works for a query with faults. */
  scopesOf?: (rawQuery: string) => readonly string[]
  /** Units of the quota `minute` that a request costs; absent: one. */
  minuteCost?: MinuteCost
  schema: FastifySchema
} & (
  | { answer: (request: EndpointRequest) => Answer | Promise<Answer>; exporting?: Exporting }
  /** Something of the moment, never kept: `Cache-Control: no-store`, no tag. */
  | { state: (request: EndpointRequest & { limits: readonly Use[] }) => unknown | Promise<unknown> }
  /** The same with parameters and media types of its own: `offers` names those that the query leaves. */
  | {
      offers: (rawQuery: string) => readonly string[]
      respond: (request: LiveRequest & { type: string }) => Promise<LiveAnswer>
    }
)

const noParameters = 'This takes no parameters in the address: send what it needs in the body'

const refuseAddressParameters: preHandlerHookHandler = ({ raw }, _reply, next) => {
  refuseParameters(splitTarget(raw.url).rawQuery, noParameters)
  next()
}

/** Of routes that read a body and nothing of the address. Their handlers judge the body and name every fault. */
export const bodyOnly = { validatorCompiler: () => () => true, preHandler: refuseAddressParameters }
