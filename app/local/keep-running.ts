import { repeat } from '../overload/repeat.ts'
import type { LocalDatabase } from './local-database.ts'

type Log = { warn(details: object, message: string): void }

const lookMs = 1_000

/** Restarts the bundled PostgreSQL if it dies. Looks each second while `isDown`. Returns a stop function. */
export const keepRunning = (
  { revive }: Pick<LocalDatabase, 'revive'>,
  isDown: () => boolean,
  log: Log,
): (() => Promise<void>) =>
  repeat({
    everyMs: lookMs,
    firstMs: lookMs,
    async work() {
      if (isDown() && (await revive())) log.warn({}, 'the bundled PostgreSQL had died: it was started again')
    },
    onFailure: ({ message: reason }) =>
      log.warn({ reason }, 'the bundled PostgreSQL has died and does not start'),
  })
