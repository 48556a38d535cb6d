import { includesSnapshot, mayExceed, type Snapshot } from './snapshot.ts'
import { type ChangeEvent, type Poll, type Stamped, type Verdict, wildcard } from './stamped.ts'

/** The known changes of one customer and resource. */
type Line = {
  name: string
  xids: Set<number>
  newest: number
  /** The newest served snapshot, if the last poll does not include it. */
  served: Snapshot | undefined
}

/** Evicted as a whole. See docs/decisions/0027-fence-keeps-transaction-numbers.md. */
type Batch = { snapshot: Snapshot; xids: number[]; lines: Line[] }

/** 5 MB, plus 0.4 kB a line: 45 MB if each event has a different line. */
const defaultMaxEvents = 100_000
/** A batch for each poll would need more memory. */
const batchShare = 1 / 100

const wentBack = 'The database went back in time without a restart or a promotion: restart the service'

const isEmpty = (line: Line) => line.xids.size === 0 && line.served === undefined
const lineName = (customerId: string, resource: string) => `${customerId} ${resource}`

/** Decides whether stored data may still be served. No clock, no I/O. Above `maxEvents`, evicts the oldest events. */
export const createFence = (maxEvents = defaultMaxEvents, maxBatch = batchShare * maxEvents) => {
  let lines = new Map<string, Line>()
  let ahead = new Set<string>()
  let batches: Batch[] = []
  let size = 0
  let last: Poll | undefined
  let floor: Snapshot | undefined
  /** Incremented by everything that could change a verdict: see `freshAt`. */
  let state = 0

  const getLine = (name: string): Line => {
    let line = lines.get(name)
    if (!line) {
      line = { name, xids: new Set(), newest: 0, served: undefined }
      lines.set(name, line)
    }
    return line
  }

  /** Keeps the served snapshots of the same epoch, which still bound later answers. */
  const forgetAll = (snapshot: Snapshot, isSame: boolean) => {
    if (!isSame) ahead = new Set()
    const former = lines
    lines = new Map()
    for (const name of ahead) getLine(name).served = former.get(name)?.served
    batches = []
    size = 0
    floor = snapshot
  }

  const forgetOldest = () => {
    const batch = batches.shift() as Batch
    for (const [index, line] of batch.lines.entries()) {
      if (line.xids.delete(batch.xids[index] as number) && isEmpty(line)) lines.delete(line.name)
    }
    size -= batch.lines.length
    floor = batch.snapshot
  }

  const batchFor = (snapshot: Snapshot, count: number): Batch => {
    const latest = batches.at(-1)
    if (latest && latest.lines.length + count <= maxBatch) {
      latest.snapshot = snapshot
      return latest
    }
    const batch = { snapshot, xids: [], lines: [] }
    batches.push(batch)
    return batch
  }

  const note = (snapshot: Snapshot, events: readonly ChangeEvent[]) => {
    if (events.length === 0) return
    const batch = batchFor(snapshot, events.length)
    for (const { xid, customerId, resource } of events) {
      const line = getLine(lineName(customerId, resource))
      line.xids.add(xid)
      if (xid > line.newest) line.newest = xid
      batch.xids.push(xid)
      batch.lines.push(line)
    }
    size += events.length
    while (size > maxEvents && batches.length > 0) forgetOldest()
  }

  const shows = ({ snapshot }: Stamped, line: Line | undefined): boolean =>
    line === undefined ||
    line.xids.size === 0 ||
    (line.newest < snapshot.xmax && !snapshot.xip.some((xid) => line.xids.has(xid)))

  const showsAll = (stamped: Stamped, customerId: string, resource: string): boolean =>
    shows(stamped, lines.get(lineName(customerId, resource)))

  const isBehindServed = ({ customerId, dependsOn, snapshot }: Stamped): boolean =>
    ahead.size > 0 &&
    dependsOn.some((resource) => {
      const served = lines.get(lineName(customerId, resource))?.served
      return served !== undefined && !includesSnapshot(snapshot, served)
    })

  // See docs/decisions/0029-monotonic-reads-go-by-poll.md.
  const noteServed = ({ customerId, dependsOn, snapshot }: Stamped): void => {
    if (last && includesSnapshot(last.snapshot, snapshot)) return
    for (const resource of dependsOn) {
      const name = lineName(customerId, resource)
      const line = getLine(name)
      if (line.served && includesSnapshot(line.served, snapshot)) continue
      line.served = snapshot
      ahead.add(name)
      state += 1
    }
  }

  const settle = (snapshot: Snapshot) => {
    for (const name of ahead) {
      const line = lines.get(name)
      if (line?.served && !includesSnapshot(snapshot, line.served)) continue
      ahead.delete(name)
      if (!line) continue
      line.served = undefined
      if (isEmpty(line)) lines.delete(name)
    }
  }

  return {
    apply(poll: Poll): void {
      const isFirst = last === undefined
      const isSame = last?.epoch === poll.epoch
      if (last && isSame && !includesSnapshot(poll.snapshot, last.snapshot)) throw new Error(wentBack)
      last = poll
      if (isFirst && poll.since) floor = poll.since
      if (!poll.events || !(isSame || (isFirst && poll.since))) forgetAll(poll.snapshot, isSame)
      else note(poll.snapshot, poll.events)
      settle(poll.snapshot)
      if (!isSame || poll.events?.length !== 0) state += 1
    },

    /** Also records data that are `fresh` as served. */
    compare(stamped: Stamped): Verdict {
      if (stamped.freshAt === state) return 'fresh'
      if (!last || !floor || stamped.epoch !== last.epoch) return 'behind'
      if (!includesSnapshot(stamped.snapshot, floor)) return 'behind'
      const { customerId, dependsOn } = stamped
      const shown =
        showsAll(stamped, wildcard, wildcard) &&
        showsAll(stamped, customerId, wildcard) &&
        dependsOn.every((name) => showsAll(stamped, customerId, name) && showsAll(stamped, wildcard, name))
      if (!shown) return 'behind'
      // A standby may show more than `noteServed` records, and a later answer could go back in time.
      if (isBehindServed(stamped) || mayExceed(stamped.snapshot, last.snapshot)) return 'unsure'
      noteServed(stamped)
      stamped.freshAt = state
      return 'fresh'
    },

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
