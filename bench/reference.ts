import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Redis } from 'ioredis'
import pg from 'pg'
import { copyOut } from './lib/copy-out.ts'

/** What a reference answers with, as the parent process sends it. */
export type Instructions = {
  /** Headers of every answer, like those of the service. */
  headers: Record<string, string>
  /** The bytes of every answer, base64; where a store is named, what it yields is sent. */
  body: string
  redis?: { url: string; key: string }
  postgres?: { url: string; max: number; text: string; customerId: string }
  /** A `COPY` whose rows are sent as they come, in larger pieces. */
  copy?: { url: string; max: number; text: string }
}

type Answer = (request: IncomingMessage) => Buffer | Promise<Buffer>

const fromRedis = ({ url, key }: NonNullable<Instructions['redis']>): Answer => {
  const redis = new Redis(url, { enableAutoPipelining: true })
  return async () => (await redis.getBuffer(key)) as Buffer
}

/** The value after the last `=` of the target: what makes each query another one. */
const lastValue = ({ url = '' }: IncomingMessage) => decodeURIComponent(url.slice(url.lastIndexOf('=') + 1))

const fromPostgres = ({ url, max, text, customerId }: NonNullable<Instructions['postgres']>): Answer => {
  const pool = new pg.Pool({ connectionString: url, max })
  return async (request) => {
    const values = [customerId, lastValue(request)]
    const { rows } = await pool.query({ name: 'page', text, values })
    return Buffer.from(rows[0].json)
  }
}

const pieceBytes = 64 * 1024

const sendCopy = ({ url, max, text }: NonNullable<Instructions['copy']>) => {
  const pool = new pg.Pool({ connectionString: url, max })
  return async (response: ServerResponse): Promise<void> => {
    const client = await pool.connect()
    let pieces: Buffer[] = []
    let bytes = 0
    const flush = () => {
      response.write(Buffer.concat(pieces))
      pieces = []
      bytes = 0
    }
    await copyOut(client, text, (piece) => {
      pieces.push(piece)
      bytes += piece.length
      if (bytes >= pieceBytes) flush()
    })
    flush()
    response.end()
    client.release()
  }
}

/**
 * The reference server: a bare node:http server that sends one prepared answer to every request. If a store is
 * named, it sends the result of one raw GET of Redis, one raw prepared query or a COPY of PostgreSQL.
 */
process.once('message', ({ headers, body, redis, postgres, copy }: Instructions) => {
  const bytes = Buffer.from(body, 'base64')
  const fields = Object.entries(headers).flat()
  const read: Answer | undefined = redis ? fromRedis(redis) : postgres ? fromPostgres(postgres) : undefined
  const stream = copy && sendCopy(copy)
  const server = createServer((request, response) => {
    if (stream) {
      response.writeHead(200, fields)
      void stream(response)
      return
    }
    if (!read) {
      response.writeHead(200, fields)
      response.end(bytes)
      return
    }
    void Promise.resolve(read(request)).then((found) => {
      response.writeHead(200, [...fields, 'content-length', String(found.length)])
      response.end(found)
    })
  })
  server.keepAliveTimeout = 72_000
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
})
