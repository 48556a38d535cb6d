import type { LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import {
  addCustomer,
  createTestApp,
  createTestDatabase,
  logIn,
  publicUrl,
  type TestClock,
} from '../helper.ts'
import { type RawAnswer, sendBytes } from './sockets.ts'
import { seedCountries, seedCustomer } from './world.ts'

type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST'

export const line = (target: string, method = 'GET') => `${method} ${target} HTTP/1.1\r\n`
export const end = 'Connection: close\r\n\r\n'

/** The service with the records of a customer, `acme`, who is logged in; asked by injection and by bytes. */
export const openHttpStage = async (t: Test) => {
  const today = new Date().toISOString().slice(0, 10)
  const clock: TestClock = { offsetMs: 0 }
  const database = await createTestDatabase()
  const app = await createTestApp(database, { clock })
  const countries = await seedCountries(database, today)
  const key = await addCustomer(database, 'acme')
  const stored = await seedCustomer(database, 'acme', { seed: 1, today, countries })
  const { token, get } = await logIn(app, key)
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  t.teardown(async () => {
    await app.close()
    await database.close()
  })
  const authorization = `Bearer ${token}`
  const someId = stored.products?.find((row) => /^prod-Q/.test(row.id))?.id as string
  /** As a client without `no-cache` asks. */
  const ask = (url: string, headers: Record<string, string> = {}, method: Method = 'GET') =>
    app.inject({ method, url, headers: { authorization, ...headers } })
  const auth = `Authorization: ${authorization}\r\n`
  const send = async (bytes: string | Buffer): Promise<RawAnswer> =>
    (await sendBytes(port, bytes))[0] as RawAnswer
  return {
    ...{ database, app, clock, port, stored, someId },
    ...{ key, token, authorization, auth },
    get,
    ask,
    send,
  }
}

/** Helmet's set, less HSTS, which is for TLS. */
const securityHeaders: Record<string, string> = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}

/** Returns what is wrong with the headers of any answer. */
export const listHeaderFaults = (headers: Record<string, unknown>): string[] => [
  ...Object.entries(securityHeaders)
    .filter(([name, value]) => headers[name] !== value)
    .map(([name]) => `${name}: ${headers[name]}`),
  ...['server', 'x-powered-by'].filter((name) => headers[name] !== undefined),
]

/** What is wrong with an error, against the contract's shape of a problem document. */
export const listProblemFaults = (
  status: number,
  headers: Record<string, unknown>,
  body: string,
  isRaw = false,
): string[] => {
  const faults = listHeaderFaults(headers)
  if (headers['content-type'] !== 'application/problem+json') faults.push(`type ${headers['content-type']}`)
  if (headers['cache-control'] !== 'no-store') faults.push(`cache-control ${headers['cache-control']}`)
  if (headers.etag !== undefined) faults.push('an error has a tag')
  let problem: Record<string, unknown> = {}
  try {
    problem = JSON.parse(body)
  } catch {
    return [...faults, `not JSON: ${body.slice(0, 80)}`]
  }
  if (problem.status !== status) faults.push(`status ${problem.status} in the body of ${status}`)
  if (problem.type !== `${publicUrl}/problems/${problem.code}`) faults.push(`type ${problem.type}`)
  for (const name of ['title', 'code', 'detail'])
    if (typeof problem[name] !== 'string') faults.push(`no ${name}`)
  if (!isRaw && (!problem.request_id || problem.request_id !== headers['request-id']))
    faults.push('request_id')
  const known = ['type', 'title', 'status', 'code', 'detail', 'request_id', 'errors', 'try']
  faults.push(...Object.keys(problem).filter((name) => !known.includes(name)))
  return faults
}

export const expectProblem = (
  t: Test,
  answer: LightMyRequestResponse | RawAnswer,
  code: string,
  status: number,
  name = code,
) => {
  const given = 'statusCode' in answer ? answer.statusCode : answer.status
  t.match({ status: given, body: answer.body }, { status, body: `"code":"${code}"` }, name)
  t.same(
    listProblemFaults(
      given,
      answer.headers as Record<string, unknown>,
      answer.body,
      !('statusCode' in answer),
    ),
    [],
  )
}
