import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../app/errors.ts'
import { unescapedTarget } from '../app/http/client-error.ts'
import { isHost } from '../app/http/fields.ts'
import { tokenParameters } from '../app/records/query/query.ts'
import { listFooterPages, listPages, type SiteFeature } from '../app/site/options.ts'
import { createPageTest } from '../app/site/paths.ts'

type GateOptions = {
  publicUrl: string
  features: readonly SiteFeature[]
}

export const maxHeaderBytes = 16 * 1024
/** Without `cursor`, `after` and `lastEventId` (contract, section 4). */
const maxTargetBytes = 8192
const uncounted = /([?&])(?:cursor|after|lastEventId)=[^&]*/g
const tokenParameter = new RegExp(`[?&](?:${tokenParameters.join('|')})=`, 'i')

const malformed = (detail: string) => new ApiError('malformed_request', { detail })

/** Reads `rawHeaders`, because Node drops a repeated Authorization or Host. */
const requireHeaders = (request: FastifyRequest): void => {
  const { rawHeaders, httpVersionMajor } = request.raw
  // HTTP/1 request lines may name any version. Real HTTP/2 requests have a stream.
  if (httpVersionMajor !== 1 && !('stream' in request.raw)) {
    throw new ApiError('http_version_not_supported', { headers: { connection: 'close' } })
  }
  let authorizations = 0
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++
    else if (name.length === 4 && name.toLowerCase() === 'host') {
      hosts++
      if (!isHost(rawHeaders[i + 1] as string)) throw malformed('Host is not a name or address with its port')
    }
  }
  if (authorizations > 1) throw malformed('Authorization was sent twice')
  if (hosts > 1) throw malformed('Host was sent twice')
  if (hosts === 0 && request.raw.httpVersion === '1.1') throw malformed('Host is missing')
  const contentCoding = request.headers['content-encoding']
  if (request.method === 'POST' && contentCoding && contentCoding.trim().toLowerCase() !== 'identity') {
    throw new ApiError('unsupported_media_type', {
      detail: 'Send the body without Content-Encoding',
      // The codings that requests may have (RFC 9110, section 12.5.3).
      headers: { 'accept-encoding': 'identity' },
    })
  }
  const coding = request.headers['transfer-encoding']
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    throw new ApiError('not_implemented', {
      detail: 'Send the body as it is: the only transfer coding is chunked',
      headers: { connection: 'close' },
    })
  }
}

/** Over HTTP/2 the raw fields include the target. */
const requireHeaderSize = ({ rawHeaders, httpVersionMajor, url = '' }: FastifyRequest['raw']): void => {
  let bytes = httpVersionMajor === 2 ? 0 : url.length
  for (const text of rawHeaders) bytes += text.length
  if (bytes > maxHeaderBytes) throw new ApiError('headers_too_large')
}

const requireTarget = (target: string, method: string): void => {
  if (target === '*' && method !== 'OPTIONS') throw malformed('Only OPTIONS may use the target *')
  // Node's HTTP/1.1 parser already refuses these bytes.
  if (/[^\0-\x7f]/.test(target)) throw unescapedTarget()
  if (target.includes('#')) throw malformed('The target must not have a fragment')
  if (target.length > maxTargetBytes && target.replace(uncounted, '$1').length > maxTargetBytes) {
    throw new ApiError('uri_too_long', {
      detail: `The target may have ${maxTargetBytes} bytes without its cursor`,
    })
  }
  if (target.includes('=') && tokenParameter.test(target)) {
    throw new ApiError('token_in_query', {
      detail:
        'Send a token as Authorization: Bearer …, a key in the body, and treat this one as leaked: addresses are logged',
    })
  }
}

/** Refuses requests that no route may see. Hooks before it have set the fields of the refusal. */
export default fp<GateOptions>(
  async (app, { publicUrl, features }) => {
    const isPageTarget = createPageTest([...listPages(features), ...listFooterPages(features)])
    // Forms have already sent their fields in clear text.
    const isRedirectable = ({ method, raw: { url = '' } }: FastifyRequest): boolean =>
      (method === 'GET' || method === 'HEAD') && isPageTarget(url)
    app.addHook('onRequest', (request, reply, next) => {
      requireHeaderSize(request.raw)
      requireHeaders(request)
      requireTarget(request.raw.url ?? '', request.method)
      // Health probes arrive from the internal network and contain no token.
      if (!request.transport && !request.raw.url?.startsWith('/health/')) {
        if (publicUrl.startsWith('https:') && isRedirectable(request)) {
          reply.redirect(publicUrl + request.raw.url, 308)
          return
        }
        throw new ApiError('tls_required', {
          detail: 'The request was not encrypted. Revoke any token or key in it: others may have read it',
        })
      }
      next()
    })
  },
  { name: 'gate', dependencies: ['transport', 'cross-origin', 'problems'], fastify: '5.x' },
)
