/** Measures again, three times in all, while it is not good: a machine that stalls spoils one time, and seldom three. */
export const bestOfThree = async <Value>(
  measure: (attempt: number) => Promise<Value>,
  isGood: (value: Value) => boolean,
): Promise<Value> => {
  let value = await measure(1)
  for (let attempt = 2; attempt <= 3 && !isGood(value); attempt += 1) value = await measure(attempt)
  return value
}

/**
 * Returns the milliseconds of the first of three tries that took less than was promised, else of the last: a machine may
 * stand still during one of them.
 */
export const fastest = (promisedMs: number, measure: () => Promise<number>): Promise<number> =>
  bestOfThree(measure, (ms) => ms < promisedMs)
