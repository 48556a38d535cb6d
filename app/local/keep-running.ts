import { setTimeout as delay } from 'node:timers/promises'
import type { LocalDatabase } from './local-database.ts'

type Log = { warn(details: object, message: string): void }

const lookMs = 1_000

/**
 * Starts the bundled PostgreSQL again if it has died. Looks each second while `isDown` says that the database does not
 * answer. Returns what ends it and waits for a start that is under way.
 */
export const keepRunning = (
  { revive }: Pick<LocalDatabase, 'revive'>,
  isDown: () => boolean,
  log: Log,
): (() => Promise<void>) => {
  const ending = new AbortController()
  const look = async (): Promise<void> => {
    let isFailing = false
    while (!ending.signal.aborted) {
      try {
        await delay(lookMs, undefined, { signal: ending.signal, ref: false })
        if (isDown() && (await revive()))
          log.warn({}, 'the bundled PostgreSQL had died: it was started again')
        isFailing = false
      } catch (error) {
        if (ending.signal.aborted) return
        const reason = (error as Error).message
        if (!isFailing) log.warn({ reason }, 'the bundled PostgreSQL has died and does not start')
        isFailing = true
      }
    }
  }
  const looking = look()
  return async () => {
    ending.abort()
    await looking
  }
}
