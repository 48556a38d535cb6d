import { type Agent, type IncomingMessage, request } from 'node:http'
import { performance } from 'node:perf_hooks'

export type Question = {
  method: 'GET' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
}

/**
 * The result of a request as a short text, such as `ok`, `stale`, `503 unavailable`, `502 of the proxy` or
 * `no answer: ECONNRESET`. A refusal that lacks its required Retry-After ends in `without Retry-After`.
 */
export type Outcome = string

export type Answer = {
  outcome: Outcome
  body: string
  /** Whether the body is from the cache that instances share. */
  isFromRedis: boolean
  ms: number
}

/** A request without an answer after this time counts as failed. */
const timeoutMs = 20_000
const staleForm = /^certdata; hit; ttl=-\d+; detail=db-unreachable$/

const getCode = (body: string): string => {
  try {
    return String((JSON.parse(body) as { code?: unknown }).code ?? 'without a code')
  } catch {
    return 'of the proxy'
  }
}

const judge = ({ statusCode = 0, headers }: IncomingMessage, body: string): Outcome => {
  if (statusCode === 200) {
    const status = headers['cache-status'] ?? ''
    if (!status.includes('db-unreachable')) return 'ok'
    return staleForm.test(String(status)) ? 'stale' : `200 with Cache-Status: ${status}`
  }
  const outcome = `${statusCode} ${getCode(body)}`
  const needsWait = (statusCode === 429 || statusCode === 503) && !outcome.endsWith('of the proxy')
  return needsWait && !/^\d+$/.test(headers['retry-after'] ?? '') ? `${outcome} without Retry-After` : outcome
}

/** Sends a request to a port of this machine. Never rejects: a failure is an outcome, too. */
export const ask = (agent: Agent, port: number, { method, path, headers }: Question): Promise<Answer> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    const finish = (outcome: Outcome, body = '', isFromRedis = false) =>
      resolve({ outcome, body, isFromRedis, ms: performance.now() - startedAt })
    const fail = (error: NodeJS.ErrnoException) => finish(`no answer: ${error.code ?? error.message}`)
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent, timeout: timeoutMs })
    sent.on('error', fail)
    sent.on('timeout', () => sent.destroy(new Error('timeout')))
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', fail)
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        const isFromRedis = String(response.headers['cache-status']).includes('detail=redis')
        finish(judge(response, body), body, isFromRedis)
      })
    })
    sent.end()
  })

/**
 * Whether the request may be repeated at another instance, as clients and proxies do with reads. An instance
 * that starts again answers 503 `unavailable` until it has opened its database.
 */
export const mayRepeat = ({ method }: Question, outcome: Outcome): boolean =>
  outcome.startsWith('no answer')
    ? method === 'GET' || outcome.endsWith('ECONNREFUSED')
    : method === 'GET' && outcome === '503 unavailable'
