import { crc32 } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import type { Test } from 'tap'
import { createApiKey } from '../../app/identity/api-keys.ts'
import { addCustomer, createTestApp, type TestDatabase } from '../helper.ts'

export const repeat = (count: number, status: number): number[] => Array.from({ length: count }, () => status)

/** Has the same key id, another secret and the matching checksum. */
export const withWrongSecret = (apiKey: string): string => {
  const secret = createApiKey().apiKey.slice(26, 58)
  const body = `${apiKey.slice(0, 26)}${secret}`
  const base62 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
  let rest = crc32(body)
  let checksum = ''
  for (let place = 0; place < 6; place++) {
    checksum = base62[rest % 62] + checksum
    rest = Math.floor(rest / 62)
  }
  return body + checksum
}

/** Services with small quotas of logins, behind a proxy, whose clock stands still. */
export const createLoginStage = (database: TestDatabase) => {
  const createApp = async (t: Test, env: Record<string, string> = {}) => {
    const clock = { offsetMs: 0, isStopped: true }
    const app = await createTestApp(database, {
      env: { LIMIT_LOGINS: '6', LIMIT_FAILED_LOGINS: '3', ...env, TRUSTED_PROXIES: '10.0.0.0/8' },
      clock,
    })
    t.teardown(() => app.close())
    const post = (url: string, payload: object | string, address: string, headers = {}) =>
      app.inject({
        method: 'POST',
        url,
        payload,
        remoteAddress: '10.0.0.1',
        headers: { ...headers, 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
      } as InjectOptions)
    const logIn = (api_key: string, address = '192.0.2.1') => post('/v1/auth/login', { api_key }, address)
    const times = async (count: number, ...of: Parameters<typeof logIn>) => {
      const statuses: number[] = []
      for (let i = 0; i < count; i++) statuses.push((await logIn(...of)).statusCode)
      return statuses
    }
    return { post, logIn, times, clock }
  }
  let customers = 0
  const newKey = () => addCustomer(database, `customer-${++customers}`)
  return { createApp, newKey }
}
