import type { FastifyInstance } from 'fastify'
import { type Repeating, repeat } from '../app/overload/repeat.ts'

/** `failure` is logged once until the next success. */
type RepeatingPlugin = Omit<Repeating, 'onFailure'> & { failure: string }

/** Repeats `work` from `onReady` on. Returns a function that stops this and waits for the current run. */
export const repeatWhenReady = (app: FastifyInstance, { failure, ...repeating }: RepeatingPlugin) => {
  let stop: (() => Promise<void>) | undefined
  app.addHook('onReady', async () => {
    const onFailure = ({ message: reason }: Error) => app.log.warn({ reason }, failure)
    stop = repeat({ firstMs: repeating.everyMs, ...repeating, onFailure })
  })
  return async () => stop?.()
}
