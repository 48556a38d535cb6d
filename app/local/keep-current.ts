import type { LocalDatabase } from './local-database.ts'

type Log = { warn(details: object, message: string): void }

/** The example data show every computed value on the day they are loaded for: each new day they are loaded again. */
export const keepExampleDataCurrent = (local: LocalDatabase, log: Log): NodeJS.Timeout => {
  const utcDay = () => new Date().toISOString().slice(0, 10)
  let day = utcDay()
  const check = () => {
    if (utcDay() === day) return
    day = utcDay()
    local.refreshExampleData(day).catch((error: Error) => {
      log.warn({ reason: error.message }, 'the example data could not be updated to the new day')
    })
  }
  return setInterval(check, 60_000).unref()
}
