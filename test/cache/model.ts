import { createEtag, type Filled, type StoredEntry } from '../../app/cache/entry.ts'
import { openEnvelope, rankBytes, signEnvelope } from '../../app/cache/envelope.ts'
import type { SharedCache } from '../../app/cache/redis.ts'
import {
  formatEpoch,
  isVisible,
  parseSnapshot,
  rankSnapshot,
  type Snapshot,
} from '../../app/cache/snapshot.ts'
import type { ChangeEvent, Poll } from '../../app/cache/stamped.ts'
import { createSecrets } from '../../app/config/secrets.ts'

/**
 * Models of PostgreSQL and Redis that respond synchronously; the caller adds delays. Transactions get numbers, write
 * records and end in any order. A standby has applied a part of the log.
 */

/** The number of committed transactions that wrote each record. */
export type Versions = Readonly<Record<string, number>>

export const customerId = 'acme'
/** The letter is the resource. */
export const records = ['a0', 'a1', 'b0', 'b1'] as const
export const getResource = (record: string) => record.charAt(0)

type LogEntry = { xid: number; written: readonly string[] | undefined; at: number; mark?: string }

const startMs = Date.parse('2026-01-01T00:00:00Z')
/** With six decimals, as from PostgreSQL. */
const formatTime = (ms: number) => new Date(startMs + ms).toISOString().replace('Z', '000Z')
export const parseTime = (text: string) => Date.parse(text) - startMs

export type Model = ReturnType<typeof createModel>

export const createModel = (now: () => number) => {
  let nextXid = 1_000
  let starts = 1
  let promotions = 0
  let promotedAt = Number.NEGATIVE_INFINITY
  let marks = 0
  let applied = 0
  /** The log that the standby applies. Not `log` if the standby still follows a previous primary. */
  let received: LogEntry[]
  /** Whether the server has written a mark since its last start. */
  let isMarked = false
  const running = new Map<number, Set<string>>()
  /** Starts (`written` is undefined) and ends of transactions. An aborted one has an empty `written`. */
  let log: LogEntry[] = []
  received = log

  const server = () => `s${starts}`
  const getCount = (entries: readonly LogEntry[]): Versions => {
    const counts: Record<string, number> = Object.fromEntries(records.map((record) => [record, 0]))
    for (const { written = [] } of entries)
      for (const record of written) counts[record] = (counts[record] ?? 0) + 1
    return counts
  }
  const getText = (entries: readonly LogEntry[]): string => {
    const open = new Set<number>()
    let xmax = 1_000
    for (const { xid, written } of entries) {
      if (!written) open.add(xid)
      else {
        open.delete(xid)
        xmax = Math.max(xmax, xid + 1)
      }
    }
    const xip = [...open].filter((xid) => xid < xmax).sort((a, b) => a - b)
    return `${xip[0] ?? xmax}:${xmax}:${xip.join(',')}`
  }
  const getMark = (entries: readonly LogEntry[]): string =>
    entries.reduce((newest, { xid, mark }) => (mark && xid >= newest.xid ? { xid, mark } : newest), {
      xid: 0,
      mark: 'unmarked',
    }).mark
  const filledFrom = (entries: readonly LogEntry[], asked: readonly string[], isStandby: boolean): Filled => {
    const all = getCount(entries)
    const body = Buffer.from(JSON.stringify(Object.fromEntries(asked.map((record) => [record, all[record]]))))
    return {
      snapshot: parseSnapshot(getText(entries), isStandby),
      ...(isStandby ? { standby: getMark(entries) } : { server: server(), at: formatTime(now()) }),
      isAbsent: false,
      body,
      etag: createEtag('application/json', body),
    }
  }

  return {
    begin(): void {
      running.set(nextXid, new Set())
      log.push({ xid: nextXid, written: undefined, at: now() })
      nextXid += 1
    },
    /** Does nothing if another open transaction has written the record. */
    write(xid: number, record: string): void {
      if ([...running.values()].every((written) => !written.has(record))) running.get(xid)?.add(record)
    },
    end(xid: number, commits: boolean): void {
      log.push({ xid, written: commits ? [...(running.get(xid) ?? [])] : [], at: now() })
      running.delete(xid)
    },
    get open(): readonly number[] {
      return [...running.keys()]
    },
    /** Aborts open transactions. */
    restart(): void {
      for (const xid of running.keys()) this.end(xid, false)
      starts += 1
      isMarked = false
    },
    /** Called by a starting process, and every minute. */
    mark(): void {
      marks += 1
      log.push({ xid: nextXid, written: [], at: now(), mark: `m${marks}` })
      nextXid += 1
      isMarked = true
    },
    /**
     * Promotes another standby, which lacks the last `lost` entries of the log. Ours has received all of them, and stays
     * with the previous primary. The new primary gives the lost numbers again.
     */
    failOver(lost: number): void {
      // Otherwise xmin of our standby's snapshot would stay old, and hide the fault.
      for (const xid of running.keys()) this.end(xid, true)
      received = [...log]
      log = log.slice(0, Math.max(0, log.length - lost))
      running.clear()
      const ended = new Set(log.filter(({ written }) => written).map(({ xid }) => xid))
      for (const { xid } of log.filter((each) => !each.written && !ended.has(each.xid)))
        log.push({ xid, written: [], at: now() })
      nextXid = Math.max(1_000, ...log.map(({ xid }) => xid + 1))
      promotions += 1
      promotedAt = now()
      starts += 1
      isMarked = false
    },
    /** Creates the standby again, from the current primary. */
    rebuildStandby(): void {
      received = log
      applied = 0
    },
    /** The standby applies a share of the entries that it lacks. */
    follow(share: number): void {
      applied += Math.ceil((received.length - applied) * share)
    },
    read: (asked: readonly string[]): Filled => filledFrom(log, asked, false),
    readStandby: (asked: readonly string[]): Filled => filledFrom(received.slice(0, applied), asked, true),
    /** `isWhole`: with the events. */
    poll(since: Snapshot | undefined, isWhole: boolean): Poll {
      if (!isMarked) this.mark()
      const events = log.flatMap(({ xid, written = [] }): ChangeEvent[] =>
        since && !isVisible(xid, since)
          ? [...new Set(written.map(getResource))].map((resource) => ({ xid, customerId, resource }))
          : [],
      )
      return {
        snapshot: parseSnapshot(getText(log)),
        since,
        at: formatTime(now()),
        epoch: formatEpoch(`i${promotions}`, server()),
        mark: getMark(log),
        events: since && isWhole ? events : undefined,
        distrusted: [],
      }
    },
    snapshot: () => parseSnapshot(getText(log)),
    get promotions() {
      return promotions
    },
    get promotedAt() {
      return promotedAt
    },
    committedBefore: (ms: number): Versions => getCount(log.filter(({ at }) => at < ms)),
    committed: (): Versions => getCount(log),
  }
}

const secrets = createSecrets(['a secret of the tests that is longer than thirty-two characters'])

/** All instances share it. */
export const createStore = () => ({ entries: new Map<string, Buffer>() })

type SharedOptions = {
  store: ReturnType<typeof createStore>
  epoch: () => string
  /** Delays a message. */
  travel: () => Promise<void>
}

/** Models the script of `app/cache/redis.ts`. */
export const createModelCache = ({ store, epoch, travel }: SharedOptions): SharedCache => {
  const { entries } = store
  const getName = (of: string, key: string) => `${of} ${key}`
  const open = (name: string, dependsOn: readonly string[]): StoredEntry | undefined => {
    const sealed = entries.get(name)
    const entry = sealed && openEnvelope(name, sealed, secrets)
    return entry && { ...entry, dependsOn }
  }
  const through = async <T>(act: () => T): Promise<T> => {
    await travel()
    const result = act()
    await travel()
    return result
  }
  return {
    get: (_, key, dependsOn) => {
      const name = getName(epoch(), key)
      return through(() => open(name, dependsOn))
    },
    set(entry) {
      const name = getName(entry.epoch, entry.key)
      const sealed = signEnvelope(name, entry, secrets)
      const rank = rankSnapshot(entry.snapshot)
      void through(() => {
        const known = entries.get(name)?.subarray(0, rankBytes).toString()
        if (known === undefined || known <= rank) entries.set(name, sealed)
      })
    },
    close: async () => {},
  }
}
