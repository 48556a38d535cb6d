import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import { Redis } from 'ioredis'
import pg from 'pg'

export type Instructions = {
  status: number
  /** The fields of every answer, equal to the service's. */
  fields: [name: string, value: string][]
  /** The body of every answer, base64. Unused if a store is named: its result is sent instead. */
  body: string
  tls?: { certFile: string; keyFile: string } | undefined
  isHttp2?: boolean | undefined
  redis?: { url: string; key: string }
  postgres?: Reading
}

/** Returns one row, whose `data` is the JSON text of all records. It is sent between `head` and `tail`. */
export type Reading = {
  pool: pg.PoolConfig
  text: string
  /** The parameter at index `numbered` is replaced by the value after the last `=` of the target. */
  values: unknown[]
  numbered: number
  head: string
  tail: string
}

type Answer = (request: IncomingMessage) => Promise<Buffer>

const fromRedis = ({ url, key }: NonNullable<Instructions['redis']>): Answer => {
  const redis = new Redis(url)
  return async () => (await redis.getBuffer(key)) as Buffer
}

/** The value that makes each query different. */
const lastValue = ({ url = '' }: IncomingMessage) => decodeURIComponent(url.slice(url.lastIndexOf('=') + 1))

const fromPostgres = ({ pool: config, text, values, numbered, head, tail }: Reading): Answer => {
  const pool = new pg.Pool(config)
  return async (request) => {
    const { rows } = await pool.query({
      name: 'page',
      text,
      values: values.with(numbered, lastValue(request)),
    })
    return Buffer.from(head + rows[0].data + tail)
  }
}

/**
 * The reference server: node:http, node:https or node:http2 by its compatibility API, without anything else.
 * It sends one prepared answer to every request. If a store is named, it sends the result of one GET of Redis
 * or one prepared statement of PostgreSQL.
 */
process.once('message', ({ status, fields, body, tls, isHttp2, redis, postgres }: Instructions) => {
  const bytes = status === 304 ? undefined : Buffer.from(body, 'base64')
  // The fastest format for each protocol.
  const head = (isHttp2 ? Object.fromEntries(fields) : fields.flat()) as string[]
  const read = redis ? fromRedis(redis) : postgres && fromPostgres(postgres)
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (!read) {
      response.writeHead(status, head)
      response.end(bytes)
      return
    }
    void read(request).then((found) => {
      response.writeHead(status, head)
      response.end(found)
    })
  }
  const files = tls && { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) }
  const create = () => {
    if (!files) return createServer(handle)
    return isHttp2 ? createSecureServer(files, handle as never) : createTlsServer(files, handle)
  }
  const server = Object.assign(create(), { keepAliveTimeout: 72_000 })
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
})
