const millisecondsPerDay = 86_400_000

/** A date so many days after `day` (before it where negative), both YYYY-MM-DD. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * millisecondsPerDay).toISOString().slice(0, 10)

/** A line of an import, less what all lines of the example data share. */
export type ExampleLine = { resource: string; id: string; [field: string]: unknown }
