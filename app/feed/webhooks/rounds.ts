import pLimit from 'p-limit'

/** What is to be looked at, a round at a time. */
export type Rounds = {
  /** Has these names looked at in the next round. What is wanted while a round runs is the round after it. */
  want(names: Iterable<string>): void
  /** The last call: resolves when the rounds that were wanted have ended. */
  end(): Promise<void>
}

/** Calls `lookAt` with the names that are wanted, never twice at once. Names of a round that failed are not kept. */
export const createRounds = (
  lookAt: (names: ReadonlySet<string>) => Promise<void>,
  onFailure: (error: Error) => void,
): Rounds => {
  const oneAtATime = pLimit(1)
  let wanted = new Set<string>()
  const round = (): Promise<void> => {
    const names = wanted
    wanted = new Set()
    return lookAt(names)
  }
  return {
    want(names) {
      for (const name of names) wanted.add(name)
      if (wanted.size > 0 && oneAtATime.pendingCount === 0) void oneAtATime(round).catch(onFailure)
    },
    end: () => oneAtATime(async () => {}),
  }
}
