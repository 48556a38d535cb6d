import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify'
import { ApiError, unavailable } from '../app/errors.ts'
import { createTokenCheck } from '../app/observe/token-check.ts'
import type { Deps } from '../plugins/deps.ts'

const noStore = { 'cache-control': 'no-store' }

/** An instance without its database is not `ready`, although it has cached answers: another instance may reach it. */
export const healthRoutes = async (
  app: FastifyInstance,
  { ping, isDraining }: Pick<Deps, 'ping' | 'isDraining'>,
): Promise<void> => {
  const unready = () => unavailable(5)
  app.get('/health/live', (_request, reply) => reply.headers(noStore).send({ status: 'live' }))
  app.get('/health/ready', async (_request, reply) => {
    if (isDraining()) throw unready()
    await ping().catch(() => {
      throw unready()
    })
    return reply.headers(noStore).send({ status: 'ready' })
  })
}

const challenge = 'Bearer realm="certdata metrics"'
const detail = 'Send Authorization: Bearer <METRICS_TOKEN of the service>.'

/** For Prometheus. Without a configured token, there is no `/metrics`. */
export const metricsRoutes = async (
  app: FastifyInstance,
  { token }: { token: string | undefined },
): Promise<void> => {
  if (token === undefined) return
  const isRight = createTokenCheck(token)
  const onRequest: onRequestAsyncHookHandler = async ({ headers: { authorization } }) => {
    if (isRight(authorization)) return
    const code = authorization === undefined ? 'credentials_required' : 'invalid_token'
    throw new ApiError(code, { detail, headers: { 'www-authenticate': challenge } })
  }
  app.get('/metrics', { onRequest }, async (_request, reply) => {
    const { type, text } = await app.metrics.read()
    return reply.headers({ ...noStore, 'content-type': type }).send(text)
  })
}
