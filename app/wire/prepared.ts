import { type ServerResponse, STATUS_CODES } from 'node:http'

/** Longer than the minute for which load balancers keep idle connections, so that they close first. */
export const keepAliveTimeoutMs = 72_000

/**
 * Where Node's HTTP/1 answers keep their head until it goes out. It is no documented property, but the one by which
 * Node itself and much middleware tell whether a head was written. To write it is a fifth of an answer cheaper than
 * to have Node check and join names and values that were sent many times before.
 * See docs/decisions/0039-the-lane-writes-its-head-at-once.md.
 */
type Headed = ServerResponse & { _header?: string | null }

/** Up to here one write of head and body together is cheaper than handing the body over beside the head. */
const longestText = 8 * 1024

/** Bytes of a body in the form in which they are sent soonest. */
export type PreparedBody = string | Buffer | undefined

/** `body` is written as it is, byte by byte. */
export const prepareBody = (body: Buffer | undefined): PreparedBody =>
  body !== undefined && body.length <= longestText ? body.toString('latin1') : body

/** One line of a head. Whoever calls it vouches that neither holds a line break. */
export const headLine = (name: string, value: string): string => `${name}: ${value}\r\n`

/** The first line of an answer. */
export const statusLine = (status: number): string => `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`

const keepAlive =
  headLine('Connection', 'keep-alive') +
  headLine('Keep-Alive', `timeout=${Math.floor(keepAliveTimeoutMs / 1000)}`)

let dated = { second: 0, lines: '' }

/** What Node adds to each head of its own, and its end. */
const lastLines = (): string => {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dated.second) {
    dated = { second, lines: `${headLine('Date', new Date(second * 1000).toUTCString())}${keepAlive}\r\n` }
  }
  return dated.lines
}

/** Whether `sendPrepared` may answer: nothing was written yet, and the connection stays open after it. */
export const canSendPrepared = (response: Headed): boolean =>
  response._header === null && response.shouldKeepAlive

/**
 * Answers with a head that was put together beforehand: status line and fields, each with its line break, the body's
 * length among them where there is a body.
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
