import type { Listener } from '../app/cache/poller.ts'
import { parseConfig } from '../app/config/config.ts'
import { createSecrets } from '../app/config/secrets.ts'
import { startTasks } from '../app/main/tasks.ts'
import type { Figure } from '../app/observe/figures.ts'
import { publicUrl, secretKey, startTestFence, type TestDatabase } from './helper.ts'

/** Starts the background work of an instance. `listeners`: those that receive changes at present. */
export const startTestTasks = async (
  { url, reader: db, reserved }: TestDatabase,
  addFigures: (figures: readonly Figure[]) => void,
) => {
  const { poller, freshness } = await startTestFence(url)
  const listeners = new Set<Listener>()
  const listen = (listener: Listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const { quiet, stop } = await startTasks({
    config: parseConfig({ NODE_ENV: 'test' }),
    publicUrl,
    stores: {
      db,
      reserved,
      secrets: createSecrets([secretKey]),
      freshness,
      local: undefined,
      poller: { databaseNow: poller.databaseNow, listen, isDown: poller.isDown },
    },
    log: { info: () => {}, warn: () => {} },
    warn: (message, error) => {
      throw new Error(message, { cause: error })
    },
    addFigures,
  })
  return {
    listeners,
    quiet,
    async stop(): Promise<void> {
      await stop()
      await poller.close()
    },
  }
}
