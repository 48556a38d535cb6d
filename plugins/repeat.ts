import type { FastifyInstance } from 'fastify'
import { type Repeating, repeat } from '../app/overload/repeat.ts'

/** `failure`: what the log says of a failure, once until the work succeeds again. */
type RepeatingPlugin = Omit<Repeating, 'onFailure'> & { failure: string }

/** Runs `work` again and again once the service is ready. Returns what ends that and waits for a run under way. */
export const repeatWhenReady = (app: FastifyInstance, { failure, ...repeating }: RepeatingPlugin) => {
  let stop: (() => Promise<void>) | undefined
  app.addHook('onReady', async () => {
    const onFailure = ({ message: reason }: Error) => app.log.warn({ reason }, failure)
    stop = repeat({ firstMs: repeating.everyMs, ...repeating, onFailure })
  })
  return async () => stop?.()
}
