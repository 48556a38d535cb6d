import { createChangeSource } from '../../app/cache/changes.ts'
import { createFence } from '../../app/cache/fence.ts'
import { createFreshnessCheck, createLeaseClock } from '../../app/cache/freshness.ts'
import { createPoller } from '../../app/cache/poller.ts'
import type { Poll } from '../../app/cache/stamped.ts'
import { readerRole } from '../../app/db/connect.ts'

/** Starts a poller whose polls can hang and whose lease the test ends. */
export const holdPolls = async (url: string) => {
  const source = createChangeSource({ url, role: readerRole, reachSeconds: 600 })
  const [isHeld, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<Poll>()]
  let poll = source.poll
  const fence = createFence()
  let timeMs = 0
  const clock = createLeaseClock(
    () => timeMs,
    () => timeMs,
  )
  const poller = createPoller({
    source: { ...source, poll: (since) => poll(since) },
    fence,
    clock,
    warn: () => {},
  })
  await poller.start()
  return {
    freshness: createFreshnessCheck(fence, poller, 300_000),
    poller,
    /** Resolves when a poll hangs. The polls before it have responded. */
    hold() {
      poll = () => {
        isHeld.resolve()
        return answer.promise
      }
      return isHeld.promise
    },
    endLease() {
      timeMs += 501
    },
    fail: () => answer.reject(new Error('no answer')),
  }
}
