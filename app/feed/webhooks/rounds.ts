import pLimit from 'p-limit'

/** Calls `lookAt` with the wanted customers (`*`: all), one call at a time. A failed round is not repeated. */
export const createRounds = (
  lookAt: (names: ReadonlySet<string>) => Promise<void>,
  onFailure: (error: Error) => void,
) => {
  const oneAtATime = pLimit(1)
  let wanted = new Set<string>()
  const round = (): Promise<void> => {
    const names = wanted
    wanted = new Set()
    return lookAt(names)
  }
  return {
    want(names: Iterable<string>): void {
      for (const name of names) wanted.add(name)
      if (wanted.size > 0 && oneAtATime.pendingCount === 0) void oneAtATime(round).catch(onFailure)
    },
    /** Resolves when all rounds have ended. */
    end: () => oneAtATime(async () => {}),
  }
}
