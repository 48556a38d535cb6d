import type { Test } from 'tap'
import { createChangeSource } from '../../../app/cache/changes.ts'
import { createFence } from '../../../app/cache/fence.ts'
import { createFreshnessCheck, createLeaseClock } from '../../../app/cache/freshness.ts'
import { createPoller } from '../../../app/cache/poller.ts'
import { type QueuedDb, readerRole } from '../../../app/db/connect.ts'
import { readChanges } from '../../../app/features/feed/read.ts'
import type { SyncToken } from '../../../app/features/feed/token.ts'
import { createProveEmpty } from '../../../app/features/feed/unchanged.ts'
import type { ResourceName } from '../../../app/records/resources/define.ts'

export const today = '2026-11-28'

/** A process whose clock and polls the test controls. `reader`: its connections to the database. */
export const openFencedProcess = async (t: Pick<Test, 'teardown'>, url: string, reader: QueuedDb) => {
  const clock = { ms: 0, day: today }
  const fence = createFence()
  const source = createChangeSource({
    url,
    role: readerRole,
    reachSeconds: 600,
    timeoutMs: 60_000,
  })
  let isUnreachable = false
  const poller = createPoller({
    fence,
    source: {
      ...source,
      async poll(since) {
        if (isUnreachable) throw new Error('unreachable')
        return source.poll(since)
      },
    },
    clock: createLeaseClock(
      () => clock.ms,
      () => 0,
    ),
    warn: () => {},
    intervalMs: 1_000_000,
  })
  await poller.start()
  t.teardown(() => poller.close())
  const freshness = createFreshnessCheck(fence, poller, 300_000)
  const getToday = () => clock.day
  const now = () => clock.ms
  const prove = createProveEmpty({ db: reader, freshness, today: getToday, now, monotonicNow: now })
  const read = (token?: SyncToken, names: readonly ResourceName[] = ['products'], customerId = 'a') =>
    readChanges(reader, { customerId, token, resources: names, day: clock.day, limit: 50 })
  /** A token that the last poll includes. */
  const begin = async (names?: readonly ResourceName[], customerId?: string) => {
    const { token } = await read(undefined, names, customerId)
    await poller.confirmAfter()
    return token
  }
  const isProved = async (token: SyncToken, noCache = false) =>
    (await prove({ customerId: 'a', token, noCache })) !== undefined
  return {
    clock,
    fence,
    poller,
    prove,
    read,
    begin,
    isProved,
    poll: poller.confirmAfter,
    setUnreachable: (value: boolean) => {
      isUnreachable = value
    },
  }
}
