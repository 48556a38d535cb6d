import { Session } from 'node:inspector'

/** Counts of one block are told apart by their power of two, up to this one. */
const mostPowers = 8

const toPower = (count: number): number =>
  count === 0 ? -1 : Math.min(mostPowers, Math.trunc(Math.log2(count)))

/**
 * Reports which blocks of the service a call ran, by V8's precise coverage. V8 merges a block with the block
 * around it if both ran equally often, so a block that did not run is information, too.
 */
export const startCoverage = (isMeasured: (url: string) => boolean) => {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const take = (): Set<string> => {
    const blocks = new Set<string>()
    session.post('Profiler.takePreciseCoverage', (error, coverage) => {
      if (error) throw error
      for (const { scriptId, url, functions } of coverage.result) {
        if (!isMeasured(url)) continue
        for (const { ranges } of functions) {
          for (const { startOffset, endOffset, count } of ranges) {
            blocks.add(`${scriptId}:${startOffset}:${endOffset}:${toPower(count)}`)
          }
        }
      }
    })
    return blocks
  }
  take()
  return { take, stop: () => session.disconnect() }
}
