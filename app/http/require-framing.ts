import { ApiError } from '../errors.ts'

/** Throws for HTTP/1.0: its streams end with the connection, so that after a crash a part looks complete. */
export const requireFraming = (httpVersion: string): void => {
  if (httpVersion !== '1.0') return
  throw new ApiError('http_version_not_supported', {
    detail:
      'A client of HTTP/1.0 cannot notice that a stream broke off. Use HTTP/1.1 or HTTP/2. An nginx in front of the service needs proxy_http_version 1.1',
  })
}
