const millisecondsPerDay = 86_400_000

/** A date so many days after `day` (before it where negative), both YYYY-MM-DD. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * millisecondsPerDay).toISOString().slice(0, 10)

const gridDays = 28

/**
 * The last day of a grid of 28 days that is not after `day` (YYYY-MM-DD). Days that are far away stay on the grid, so
 * that a new day of the example data does not change every record.
 */
export const onGrid = (day: string): string =>
  addDays(day, -((Date.parse(day) / millisecondsPerDay) % gridDays))

/** A line of an import, less what all lines of the example data share. */
export type ExampleLine = { resource: string; id: string; [field: string]: unknown }
