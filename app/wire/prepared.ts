import { type ServerResponse, STATUS_CODES } from 'node:http'

/**
 * `_header` is undocumented: the head of an HTTP/1 response until it is sent. Node and much middleware read it
 * to check whether a head was written. Setting it makes a response a fifth cheaper than `writeHead`.
 * See docs/decisions/0039-the-lane-writes-its-head-at-once.md.
 */
type Headed = ServerResponse & { _header?: string | null }

/** Up to this many bytes, one write of head and body is cheaper than two. */
const longestText = 8 * 1024

export type PreparedBody = string | Buffer | undefined

/** Prepares a body for `sendPrepared`. In a string, each character is a byte (Latin-1). */
export const prepareBody = (body: Buffer | undefined): PreparedBody =>
  body !== undefined && body.length <= longestText ? body.toString('latin1') : body

/** Formats a field. Neither argument may contain a line break. */
export const headLine = (name: string, value: string): string => `${name}: ${value}\r\n`

/** Formats the status line. */
export const statusLine = (status: number): string => `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`

/** Returns a function that formats the fields that Node would add, and the empty line. */
const createLastLines = (keepAliveTimeoutMs: number): (() => string) => {
  const keepAlive =
    headLine('Connection', 'keep-alive') +
    headLine('Keep-Alive', `timeout=${Math.floor(keepAliveTimeoutMs / 1000)}`)
  let dated = { second: 0, lines: '' }
  return () => {
    const second = Math.floor(Date.now() / 1000)
    if (second !== dated.second) {
      dated = { second, lines: `${headLine('Date', new Date(second * 1000).toUTCString())}${keepAlive}\r\n` }
    }
    return dated.lines
  }
}

/** Whether `sendPrepared` may be used: nothing was written, and the connection stays open. */
export const canSendPrepared = (response: Headed): boolean =>
  response._header === null && response.shouldKeepAlive

/** `head`: status line and fields, each with a line break, with `content-length` if there is a body. */
export type SendPrepared = (
  response: ServerResponse,
  status: number,
  head: string,
  body: PreparedBody,
) => void

/** `keepAliveTimeoutMs`: of the server, for the field Keep-Alive. */
export const createPreparedSender = (keepAliveTimeoutMs: number): SendPrepared => {
  const lastLines = createLastLines(keepAliveTimeoutMs)
  return (response: Headed, status, head, body) => {
    response.statusCode = status
    if (typeof body === 'object') {
      response._header = head + lastLines()
      response.end(body)
      return
    }
    response._header = body === undefined ? head + lastLines() : head + lastLines() + body
    response.end()
  }
}
