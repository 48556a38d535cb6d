import { repeat } from '../overload/repeat.ts'
import { utcHour } from './example-records.ts'
import type { LocalDatabase } from './local-database.ts'

type Log = { warn(details: object, message: string): void }

/** Reloads the example data in each new hour. Returns a function that stops this after a running load. */
export const keepExampleDataCurrent = (
  local: Pick<LocalDatabase, 'loadedHour' | 'refreshExampleData'>,
  log: Log,
  { everyMs = 60_000, clock = utcHour }: { everyMs?: number; clock?: () => string } = {},
): (() => Promise<void>) => {
  let loaded = local.loadedHour
  const work = async () => {
    const hour = clock()
    if (hour !== loaded) await local.refreshExampleData(hour)
    loaded = hour
  }
  const onFailure = ({ message: reason }: Error) =>
    log.warn({ reason }, 'the example data could not be updated to the new hour')
  return repeat({ work, everyMs, firstMs: everyMs, onFailure })
}

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
