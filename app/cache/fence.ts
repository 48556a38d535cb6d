import { createMarks } from './marks.ts'
import { includesSnapshot, isOfDatabase, mayExceed, type Snapshot } from './snapshot.ts'
import {
  type ChangeEvent,
  type Poll,
  type Position,
  type Stamped,
  type Verdict,
  wildcard,
} from './stamped.ts'

/** The known changes of one customer and resource. */
type KnownChanges = {
  name: string
  xids: Set<number>
  newest: number
  /** The newest served snapshot, if the last poll does not include it. */
  served: Snapshot | undefined
}

/** Evicted as a whole. See docs/decisions/0027-fence-keeps-transaction-numbers.md. */
type Batch = { snapshot: Snapshot; xids: number[]; changed: KnownChanges[] }

/** 5 MB, plus 0.4 kB for each pair of customer and resource: 45 MB if no two events share a pair. */
const defaultMaxEvents = 100_000
/** Of `maxEvents`. Several polls share a batch, because a batch for each poll would need more memory. */
const batchShare = 1 / 100

/** The maximum age of a distrusted resource's data at a poll. Until its lease ends, they become 10 s old. */
const maxDistrustedMs = 9_400
/** Data read after the last poll are newer. Beyond this, the database's clock was set back. */
const maxAheadMs = 1_000

const wentBack = 'The database went back in time without a restart or a promotion: restart the service'

const isEmpty = (changes: KnownChanges) => changes.xids.size === 0 && changes.served === undefined
const toName = (customerId: string, resource: string) => `${customerId} ${resource}`

/** Decides if stored data may be served. Evicts events above `maxEvents`; older data are then `behind`. */
export const createFence = (maxEvents = defaultMaxEvents, maxBatch = batchShare * maxEvents) => {
  let changed = new Map<string, KnownChanges>()
  let ahead = new Set<string>()
  let batches: Batch[] = []
  let size = 0
  let last: Poll | undefined
  let floor: Snapshot | undefined
  let distrusted: ReadonlySet<string> = new Set()
  const marks = createMarks()
  /** Incremented when `fresh` data may have become `behind` or `unsure`: see `freshAt`. */
  let state = 0

  const getChanges = (name: string): KnownChanges => {
    let changes = changed.get(name)
    if (!changes) {
      changes = { name, xids: new Set(), newest: 0, served: undefined }
      changed.set(name, changes)
    }
    return changes
  }

  /** Keeps the served snapshots of the same epoch, which still bound later answers. */
  const evictAll = (snapshot: Snapshot, isSame: boolean) => {
    if (!isSame) ahead = new Set()
    const previous = changed
    changed = new Map()
    for (const name of ahead) getChanges(name).served = previous.get(name)?.served
    batches = []
    size = 0
    floor = snapshot
  }

  const evictOldest = () => {
    const batch = batches.shift() as Batch
    for (const [index, changes] of batch.changed.entries()) {
      if (changes.xids.delete(batch.xids[index] as number) && isEmpty(changes)) changed.delete(changes.name)
    }
    size -= batch.changed.length
    floor = batch.snapshot
  }

  const batchFor = (snapshot: Snapshot, count: number): Batch => {
    const latest = batches.at(-1)
    if (latest && latest.changed.length + count <= maxBatch) {
      latest.snapshot = snapshot
      return latest
    }
    const batch = { snapshot, xids: [], changed: [] }
    batches.push(batch)
    return batch
  }

  const add = (snapshot: Snapshot, events: readonly ChangeEvent[]) => {
    if (events.length === 0) return
    const batch = batchFor(snapshot, events.length)
    for (const { xid, customerId, resource } of events) {
      const changes = getChanges(toName(customerId, resource))
      changes.xids.add(xid)
      if (xid > changes.newest) changes.newest = xid
      batch.xids.push(xid)
      batch.changed.push(changes)
    }
    size += events.length
    while (size > maxEvents && batches.length > 0) evictOldest()
  }

  const showsAll = ({ snapshot }: Stamped, customerId: string, resource: string): boolean => {
    const changes = changed.get(toName(customerId, resource))
    if (changes === undefined || changes.xids.size === 0) return true
    return changes.newest < snapshot.xmax && !snapshot.xip.some((xid) => changes.xids.has(xid))
  }

  const isBehindServed = ({ customerId, dependsOn, snapshot }: Stamped): boolean =>
    ahead.size > 0 &&
    dependsOn.some((resource) => {
      const served = changed.get(toName(customerId, resource))?.served
      return served !== undefined && !includesSnapshot(snapshot, served)
    })

  // See docs/decisions/0029-monotonic-reads-go-by-poll.md.
  const noteServed = ({ customerId, dependsOn, snapshot }: Stamped): void => {
    if (last && includesSnapshot(last.snapshot, snapshot)) return
    for (const resource of dependsOn) {
      const name = toName(customerId, resource)
      const changes = getChanges(name)
      if (changes.served && includesSnapshot(changes.served, snapshot)) continue
      changes.served = snapshot
      ahead.add(name)
      state += 1
    }
  }

  const settle = (snapshot: Snapshot) => {
    for (const name of ahead) {
      const changes = changed.get(name)
      if (changes?.served && !includesSnapshot(snapshot, changes.served)) continue
      ahead.delete(name)
      if (!changes) continue
      changes.served = undefined
      if (isEmpty(changes)) changed.delete(name)
    }
  }

  const isDistrusted = (resource: string): boolean => distrusted.has(resource)

  // See docs/decisions/0155-a-difference-distrusts-the-resource.md.
  const isTooOld = ({ dependsOn, at = '' }: Stamped, polledAt: string): boolean => {
    if (distrusted.size === 0 || !dependsOn.some(isDistrusted)) return false
    const ageMs = Date.parse(polledAt) - Date.parse(at)
    return !(ageMs <= maxDistrustedMs && ageMs >= -maxAheadMs)
  }

  /** True if the data lack a known change, may lack an evicted or unlogged one, or are of another epoch. */
  const isBehind = (stamped: Stamped): boolean => {
    if (!last || !floor || stamped.epoch !== last.epoch) return true
    if (!includesSnapshot(stamped.snapshot, floor) || isTooOld(stamped, last.at)) return true
    const { customerId, dependsOn } = stamped
    const shown =
      showsAll(stamped, wildcard, wildcard) &&
      showsAll(stamped, customerId, wildcard) &&
      dependsOn.every((name) => showsAll(stamped, customerId, name) && showsAll(stamped, wildcard, name))
    return !shown
  }

  return {
    apply(poll: Poll): void {
      const isFirst = last === undefined
      const isSame = last?.epoch === poll.epoch
      if (last && isSame && !includesSnapshot(poll.snapshot, last.snapshot)) throw new Error(wentBack)
      last = poll
      if (isFirst && poll.since) floor = poll.since
      if (!poll.events || !(isSame || (isFirst && poll.since))) evictAll(poll.snapshot, isSame)
      else add(poll.snapshot, poll.events)
      settle(poll.snapshot)
      if (!isSame) marks.clear()
      marks.note(poll.mark, poll.snapshot)
      distrusted = new Set(poll.distrusted)
      if (!isSame || poll.events?.length !== 0 || distrusted.size > 0) state += 1
    },

    /** Also records data that are `fresh` as served. */
    compare(stamped: Stamped): Verdict {
      if (stamped.freshAt === state) return 'fresh'
      if (isBehind(stamped)) return 'behind'
      // A standby may show more than `noteServed` records, and a later answer could go back in time.
      if (isBehindServed(stamped) || mayExceed(stamped.snapshot, last?.snapshot)) return 'unsure'
      noteServed(stamped)
      stamped.freshAt = state
      return 'fresh'
    },

    isBehind,

    /**
     * Whether polls prove that nothing has changed since, and that no answer has shown more. Records nothing, and
     * ignores the lease. See docs/decisions/0195-the-fence-answers-empty-polls.md.
     */
    isUnchanged(position: Position): boolean {
      if (!last || !isOfDatabase(last.epoch, position.identity)) return false
      if (!marks.isNewestIn(position.mark, position.snapshot)) return false
      // Without the time of the read, data of a distrusted resource count as too old.
      const stamped = { ...position, epoch: last.epoch, at: undefined }
      return !isBehind(stamped) && !isBehindServed(stamped)
    },

    /** Whether a change of this resource was not logged, by the last poll. */
    isDistrusted,

    /** Records data that were served without `compare`, because their query started after the request. */
    noteServed,

    get last(): Poll | undefined {
      return last
    },
    get size(): number {
      return size
    },
  }
}

export type Fence = ReturnType<typeof createFence>
