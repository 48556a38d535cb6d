import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { makeCertificate, openHttp2 } from '../../test/api/sockets.ts'
import { addCustomer, createTestDatabase, secretKey, until } from '../../test/helper.ts'
import { startService } from '../../test/service.ts'

export const page = '/v1/products'

/** The service over TLS, as `npm start` runs it. The customer's page is in its memory cache. */
export type Stage = {
  port: number
  apiKey: string
  authorization: string
  /** Processor time that the process has used, in milliseconds. */
  cpuMs(): number
  /** Bytes of the page's body. */
  pageBytes: number
  rssBytes(): number
  close(): Promise<void>
}

/** Linux counts processor time in ticks of 10 ms. */
const tickMs = 10

const readCpuMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  // The fields after the name: 11 others, then user and system time.
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

export const readRssBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

/** Logs in and loads the page into the memory cache, over HTTP/2. */
const warm = async (port: number, apiKey: string): Promise<Pick<Stage, 'authorization' | 'pageBytes'>> => {
  const { ask, close } = openHttp2(port)
  const basic = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`
  const { body } = await ask({
    ':method': 'POST',
    ':path': '/v1/auth/login',
    authorization: basic,
  })
  const authorization = `Bearer ${(JSON.parse(body) as { access_token: string }).access_token}`
  let pageBytes = 0
  for (let count = 0; count < 3; count += 1) {
    const { status, body: text } = await ask({ ':path': page, authorization })
    pageBytes = Buffer.byteLength(text)
    if (status !== 200) throw new Error(`the page returned ${status}`)
  }
  close()
  return { authorization, pageBytes }
}

const isReady = async (port: number): Promise<boolean> => {
  const { ask, close } = openHttp2(port)
  const answer = await Promise.race([
    ask({ ':path': '/health/ready' }).catch(() => undefined),
    delay(1_000, undefined),
  ])
  close()
  return answer?.status === 200
}

/** Creates a database, a certificate and the service. `close` removes all of them. */
export const openStage = async (algorithm: 'ec' | 'rsa' = 'ec'): Promise<Stage> => {
  const database = await createTestDatabase()
  const apiKey = await addCustomer(database, 'acme', { plan: 'enterprise' })
  await sql`insert into products (customer_id, id, name)
    select 'acme', 'p' || n, 'product ' || n from generate_series(1, 200) n`.execute(database.operator)
  const certificate = makeCertificate(algorithm)
  const env = {
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    LOG_LEVEL: 'warn',
    TLS_CERT: certificate.cert,
    TLS_KEY: certificate.key,
    MAX_CONNECTIONS: '100000',
    LIMIT_ENTERPRISE_BURST: '1000000',
    LIMIT_ENTERPRISE_MINUTE: '100000000',
  }
  const service = await startService(env, { isMeasured: true, hasOwnSession: true })
  const close = async () => {
    await service.stop('SIGKILL')
    await database.close()
    certificate.remove()
  }
  try {
    await until('the service is ready', () => isReady(service.port), 30_000)
    const pid = service.child.pid as number
    return {
      port: service.port,
      apiKey,
      ...(await warm(service.port, apiKey)),
      cpuMs: () => readCpuMs(pid),
      rssBytes: () => readRssBytes(pid),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
