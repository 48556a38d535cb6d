import fc from 'fast-check'
import t from 'tap'

/** The gate runs all cases: RANDOM_CASES=1. */
const share = Number(process.env.RANDOM_CASES ?? 0.2)

/** RANDOM_SEED repeats a run. */
export const seed = Number(process.env.RANDOM_SEED ?? Math.trunc(Math.random() * 2 ** 31))
t.comment(`RANDOM_SEED=${seed}`)

export const cases = (all: number): number => Math.ceil(all * share)

fc.configureGlobal({ seed, numRuns: cases(100) })

export { fc }
