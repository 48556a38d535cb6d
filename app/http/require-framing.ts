import { ApiError } from '../errors.ts'

/**
 * Throws `http_version_not_supported` for HTTP/1.0, where a stream ends with its connection. If the process is killed,
 * a client takes a truncated stream for a complete one.
 */
export const requireFraming = (httpVersion: string): void => {
  if (httpVersion !== '1.0') return
  throw new ApiError('http_version_not_supported', {
    detail:
      'A client of HTTP/1.0 cannot notice that a stream broke off. Use HTTP/1.1 or HTTP/2. An nginx in front of the service needs proxy_http_version 1.1',
  })
}
