/** Returns numbers from 0 to 1, exclusive. The same seed gives the same numbers (mulberry32). */
export const createRandom = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export type Random = ReturnType<typeof createRandom>

const below = (random: Random, limit: number): number => Math.trunc(random() * limit)
const pick = <T>(random: Random, values: readonly T[]): T => values[below(random, values.length)] as T

const maxBytes = 512
const mostChanges = 4

const splice = (data: Buffer, from: number, until: number, inserted: Uint8Array): Buffer =>
  Buffer.concat([data.subarray(0, from), inserted, data.subarray(until)])

type Sources = Readonly<{ corpus: readonly Buffer[]; words: readonly string[] }>
type Change = (random: Random, data: Buffer, sources: Sources) => Buffer

const changes: readonly Change[] = [
  // Another byte.
  (random, data) => {
    const at = below(random, data.length)
    return splice(data, at, at + 1, Buffer.of(below(random, 256)))
  },
  // Another bit.
  (random, data) => {
    const at = below(random, data.length)
    return splice(data, at, at + 1, Buffer.of((data[at] ?? 0) ^ (1 << below(random, 8))))
  },
  // A part less.
  (random, data) => {
    const at = below(random, data.length)
    return splice(data, at, at + 1 + below(random, 8), Buffer.of())
  },
  // A part twice.
  (random, data) => {
    const at = below(random, data.length)
    return splice(data, at, at, data.subarray(at, at + 1 + below(random, 32)))
  },
  // A word of the grammar.
  (random, data, { words }) => {
    const at = below(random, data.length + 1)
    return splice(data, at, at, Buffer.from(pick(random, words)))
  },
  // The end of another input.
  (random, data, { corpus }) => {
    const other = pick(random, corpus)
    return splice(
      data,
      below(random, data.length + 1),
      data.length,
      other.subarray(below(random, other.length)),
    )
  },
]

/** Changes an input of the corpus in one to four places, the newest half of the time. At most 512 bytes. */
export const mutate = (random: Random, sources: Sources): Buffer => {
  let data = random() < 0.5 ? (sources.corpus.at(-1) as Buffer) : pick(random, sources.corpus)
  const count = 1 + below(random, mostChanges)
  for (let done = 0; done < count; done++) data = pick(random, changes)(random, data, sources)
  return data.subarray(0, maxBytes)
}
