import { setImmediate as turn } from 'node:timers/promises'

/** Polls without a pause. Rejects after 30 s. */
export const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + 30_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('what was waited for did not come')
    await turn()
  }
}
