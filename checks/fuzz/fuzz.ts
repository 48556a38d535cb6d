import { startCoverage } from './coverage.ts'
import { createRandom, mutate } from './mutate.ts'

export type Target = Readonly<{
  name: string
  /** Valid inputs. */
  seeds: readonly (string | Buffer)[]
  /** Parts of the grammar. */
  words: readonly string[]
  /** Throws if the parser breaks a promise. */
  check(input: Buffer): void
}>

export type Finding = Readonly<{ input: Buffer; error: unknown }>

type Options = Readonly<{
  seed: number
  /** Whether the fuzzer should continue, by the number of inputs so far. */
  isDue: (inputs: number) => boolean
  /** Scripts whose blocks guide the search. */
  isMeasured: (url: string) => boolean
}>

/** Drops each byte without which the same error is thrown. */
const shorten = (check: Target['check'], found: Finding): Finding => {
  const message = String(found.error)
  let shortest = found
  for (let at = shortest.input.length - 1; at >= 0; at--) {
    const input = Buffer.concat([shortest.input.subarray(0, at), shortest.input.subarray(at + 1)])
    try {
      check(input)
    } catch (error) {
      if (String(error) === message) shortest = { input, error }
    }
  }
  return shortest
}

/**
 * Runs mutated inputs and keeps each one that reaches a new block, or a block more often.
 * Returns the first input that breaks a promise.
 */
export const fuzz = ({ seeds, words, check }: Target, { seed, isDue, isMeasured }: Options) => {
  const random = createRandom(seed)
  const coverage = startCoverage(isMeasured)
  const corpus: Buffer[] = seeds.map((each) => Buffer.from(each))
  const reached = new Set<string>()
  let inputs = 0

  const run = (input: Buffer): Finding | undefined => {
    inputs += 1
    try {
      check(input)
    } catch (error) {
      return { input, error }
    }
    const blocks = coverage.take()
    if (blocks.isSubsetOf(reached)) return undefined
    corpus.push(input)
    for (const block of blocks) reached.add(block)
    return undefined
  }

  let finding: Finding | undefined
  for (const each of seeds) finding ??= run(Buffer.from(each))
  while (!finding && isDue(inputs)) finding = run(mutate(random, { corpus, words }))
  coverage.stop()
  return { inputs, kept: corpus.length, blocks: reached.size, finding: finding && shorten(check, finding) }
}
