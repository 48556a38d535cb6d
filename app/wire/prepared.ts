import { type ServerResponse, STATUS_CODES } from 'node:http'

/** Longer than the minute for which load balancers keep idle connections, so that they close first. */
export const keepAliveTimeoutMs = 72_000

/**
 * `_header` is an undocumented property that holds the head of an HTTP/1 response until it is sent. Node
 * itself and much middleware use it to check whether a head was written. Setting it makes a response a fifth
 * cheaper than letting Node check and join names and values that were already sent many times.
 * See docs/decisions/0039-the-lane-writes-its-head-at-once.md.
 */
type Headed = ServerResponse & { _header?: string | null }

/** Up to this length, one write of head and body together is cheaper than two separate ones. */
const longestText = 8 * 1024

/** A body in the form that is cheapest to send. */
export type PreparedBody = string | Buffer | undefined

/** Keeps the bytes of `body`: latin1 maps each byte to one character. */
export const prepareBody = (body: Buffer | undefined): PreparedBody =>
  body !== undefined && body.length <= longestText ? body.toString('latin1') : body

/** One line of a head. The caller guarantees that neither argument contains a line break. */
export const headLine = (name: string, value: string): string => `${name}: ${value}\r\n`

/** The status line. */
export const statusLine = (status: number): string => `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`

const keepAlive =
  headLine('Connection', 'keep-alive') +
  headLine('Keep-Alive', `timeout=${Math.floor(keepAliveTimeoutMs / 1000)}`)

let dated = { second: 0, lines: '' }

/** The lines that Node adds to each head, and the empty line at its end. */
const lastLines = (): string => {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dated.second) {
    dated = { second, lines: `${headLine('Date', new Date(second * 1000).toUTCString())}${keepAlive}\r\n` }
  }
  return dated.lines
}

/** Whether `sendPrepared` may respond: nothing was written yet, and the connection stays open. */
export const canSendPrepared = (response: Headed): boolean =>
  response._header === null && response.shouldKeepAlive

/**
 * Sends a response with a prepared head: status line and fields, each with a line break, including
 * `content-length` if there is a body.
 */
export const sendPrepared = (response: Headed, status: number, head: string, body: PreparedBody): void => {
  response.statusCode = status
  if (typeof body === 'object') {
    response._header = head + lastLines()
    response.end(body)
    return
  }
  response._header = body === undefined ? head + lastLines() : head + lastLines() + body
  response.end()
}
