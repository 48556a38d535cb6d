import type { FastifyInstance } from 'fastify'

/** Reads the number of waiting clients of an instance from its metrics. */
export const countWaiters = async (app: FastifyInstance): Promise<number> => {
  const { text } = await app.metrics.read()
  return Number(/^certdata_feed_waiters (\d+)$/m.exec(text)?.[1])
}
