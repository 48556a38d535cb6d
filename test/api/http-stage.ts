import type { LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import { createExpect, type Failure } from '../../app/operator/verify/check.ts'
import { apiHeaders, checkProblem } from '../../app/operator/verify/every-answer.ts'
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

type Headers = Record<string, unknown>

const listFaults = (headers: Headers, status: number, body?: string): string[] => {
  const failures: Failure[] = []
  const expect = createExpect(failures)
  const answer = {
    ask: { path: '' },
    ...{ status, headers: headers as Record<string, string>, bytes: Buffer.from(body ?? '') },
  }
  expect.headers(answer, apiHeaders)
  if (body !== undefined) checkProblem(answer, expect, publicUrl)
  return failures.map(({ seen }) => seen)
}

/** Lists the faults in the headers of any answer. */
export const listHeaderFaults = (headers: Headers): string[] => listFaults(headers, 0)

/** Lists the faults of an error. An answer to unreadable bytes (`isRaw`) has no request id. */
export const listProblemFaults = (
  status: number,
  headers: Headers,
  body: string,
  isRaw = false,
): string[] => [
  ...listFaults(headers, status, body),
  ...(isRaw || headers['request-id'] ? [] : ['no request id']),
]

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
