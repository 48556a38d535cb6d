import { repeat } from '../overload/repeat.ts'
import type { LocalDatabase } from './local-database.ts'

type Log = { warn(details: object, message: string): void }

const lookMs = 60_000

/**
 * Reloads the example data each day, because they show every computed value only on the day of their load.
 * Returns a function that stops it.
 */
export const keepExampleDataCurrent = (local: LocalDatabase, log: Log): (() => Promise<void>) => {
  const utcDay = () => new Date().toISOString().slice(0, 10)
  let loaded = utcDay()
  const work = async () => {
    const day = utcDay()
    if (day !== loaded) await local.refreshExampleData(day)
    loaded = day
  }
  const onFailure = ({ message: reason }: Error) =>
    log.warn({ reason }, 'the example data could not be updated to the new day')
  return repeat({ work, everyMs: lookMs, firstMs: lookMs, onFailure })
}
