import { connect } from 'node:tls'
import type { Test } from 'tap'
import { maxTextBytes } from '../../schemas/fields.ts'
import { addCustomer, createTestApp, createTestDatabase, logIn } from '../helper.ts'
import { seed } from '../random.ts'
import { makeCertificate, openHttp2 } from './sockets.ts'
import { createRandom } from './world.ts'

export const mostHeadBytes = 3.5 * 1024
export const mostTargetBytes = 2 * 1024
export const publicUrl = 'https://certification-data.certification-house.example'
export const origin = 'https://enterprise-resource-planning.customer.example'

export const findLink = (head: string, relation = 'next'): string | undefined =>
  new RegExp(`<([^>]*)>; rel="${relation}"`).exec(head)?.[1]

export const random = createRandom(seed)
export const anyOf = (characters: string, count: number): string =>
  Array.from({ length: count }, () => characters[Math.floor(random() * characters.length)]).join('')
export const unreserved = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'
/** Appends to a target as much as the longest one has room for. */
export const fill = (start: string, make: (count: number) => string): string => {
  const room = mostTargetBytes - start.length - '/webapi/v1/api.php'.length
  return start + make(Math.min(room, maxTextBytes - 8))
}

/** A service with the largest heads: over TLS, for a page of another origin, with a long public address. */
export const openHeads = async (t: Pick<Test, 'teardown'>, scopes: readonly string[]) => {
  const { key: TLS_KEY, cert: TLS_CERT, remove } = makeCertificate()
  const database = await createTestDatabase()
  const app = await createTestApp(database, {
    origin: publicUrl,
    env: { TLS_KEY, TLS_CERT, CORS_ORIGINS: origin, HSTS_INCLUDE_SUBDOMAINS: 'on' },
  })
  const { token } = await logIn(app, await addCustomer(database, 'acme', { scopes: [...scopes] }))
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  const http2 = openHttp2(port)
  t.teardown(async () => {
    http2.close()
    await app.close()
    await database.close()
    remove()
  })
  const authorization = `Bearer ${token}`

  const request = async (path: string, fields = '', method = 'GET') => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    })
    const own = `Host: x\r\nAuthorization: ${authorization}\r\nOrigin: ${origin}\r\n`
    socket.write(`${method} ${path} HTTP/1.1\r\n${own}${fields}Connection: close\r\n\r\n`)
    const text = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1')
    const end = text.indexOf('\r\n\r\n') + 4
    return { head: text.slice(0, end), body: text.slice(end), status: Number(text.slice(9, 12)) }
  }
  return { database, app, request, authorization, http2 }
}
