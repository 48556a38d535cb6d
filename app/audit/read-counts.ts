import { setImmediate as nextTurn } from 'node:timers/promises'
import { canonicalPath } from './fingerprint.ts'
import type { AuditEvent } from './record.ts'

/**
 * Who asked. Absent: the service did not know the client. The customer of a live key is looked up when the entry is
 * written, if the key still exists. By then the customer may be erased, and another may have taken the name.
 * See docs/decisions/0026-refused-tokens-are-audited-by-key.md.
 */
export type Reader = Readonly<
  { kind: 'live'; keyId: string } | { kind: 'demo'; customerId: string; keyId: string }
>

type ReadCountsOptions = {
  /** Milliseconds since 1970. */
  now: () => number
  /** Of path and query, without values. */
  fingerprint: (target: string) => string
}

// See docs/decisions/0077-reads-wait-in-an-unsealed-table.md.
export type ReadCounts = {
  /** Counts an answer. `route`: the pattern or an endpoint's name, never the address. `rows`: records in the answer. */
  add(reader: Reader | undefined, target: string, status: number, rows: number, route: string): void
  /** Counts something refused to nobody that was known, by what and why. */
  addRefusal(route: string, status: number): void
  /** What was counted since the last time, as entries, some at a time. Each entry names the minute it belongs to. */
  drain(): AsyncGenerator<AuditEvent[], void>
  /** What is told apart now; as entries they may be fewer. */
  readonly size: number
}

/** `count` and `rows` since the last time they were written. */
type Group = { route: string; target: string; status: number; count: number; rows: number }
type Groups = {
  reader: Reader | undefined
  /**
   * Groups by status, then by target. The key is the original string of the target, because its hash is already
   * computed.
   */
  byStatus: Map<number, Map<string, Group>>
  /** The same in order of coming. */
  told: Group[]
  /** Of these, refusals. */
  refused: number
  overflow: Map<string, Group>
  /** Of the targets of this key. */
  characters: number
}

/**
 * Different questions, each with each status, that are counted separately for one key in one minute. Further ones
 * are counted by route and status only.
 */
const maxTargets = 1_000
/**
 * How many of these may be refusals. Otherwise a flood of refusals would take the places of the key's later reads
 * in that minute. Refusals may also use only half of a key's characters.
 */
const maxRefused = 50
/** Characters of addresses kept at once in all: 4 Mi are at most 8 MB. */
const maxCharacters = 4 * 2 ** 20
/** Of which one key may fill a part, so that its long questions do not cost others the telling apart of theirs. */
const maxCharactersOfKey = maxCharacters / 8

/** An error, with which nobody got a record: by the service's rules, or because it could not answer. */
const isRefusal = (status: number): boolean => status >= 400

const minuteMs = 60_000
/** Groups made into entries before the event loop looks at what arrived: a tenth of a millisecond. */
const hashedAtOnce = 10

/**
 * Counts reads by key, resource, query and status, in bounded memory. The bounds count for a minute, however often the
 * counts are written in it.
 */
export const createReadCounts = ({ now, fingerprint }: ReadCountsOptions): ReadCounts => {
  let keys = new Map<string, Groups>()
  let characters = 0
  let since = now()

  const groupsOf = (reader: Reader | undefined): Groups => {
    const name = reader?.keyId ?? ''
    const known = keys.get(name)
    if (known) return known
    const groups: Groups = {
      ...{ reader, told: [], refused: 0, characters: 0 },
      ...{ byStatus: new Map(), overflow: new Map() },
    }
    keys.set(name, groups)
    return groups
  }

  const addOverflow = ({ overflow }: Groups, route: string, status: number): Group => {
    const name = `${status} ${route}`
    const group = overflow.get(name) ?? { route, target: '', status, count: 0, rows: 0 }
    group.count += 1
    overflow.set(name, group)
    return group
  }

  const hasRoom = (groups: Groups, { length }: string, isRefused: boolean): boolean =>
    groups.told.length < maxTargets &&
    characters + length <= maxCharacters &&
    groups.characters + length <= (isRefused ? maxCharactersOfKey / 2 : maxCharactersOfKey) &&
    !(isRefused && groups.refused >= maxRefused)

  const addNew = (groups: Groups, target: string, status: number, route: string): Group => {
    const isRefused = isRefusal(status)
    if (!hasRoom(groups, target, isRefused)) return addOverflow(groups, route, status)
    characters += target.length
    groups.characters += target.length
    if (isRefused) groups.refused += 1
    const group: Group = { route, target, status, count: 1, rows: 0 }
    groups.told.push(group)
    const byTarget = groups.byStatus.get(status) ?? new Map<string, Group>()
    groups.byStatus.set(status, byTarget.set(target, group))
    return group
  }

  const toEvents = async ({ reader, told, overflow }: Groups, minute: string): Promise<AuditEvent[]> => {
    let hashed = 0
    const merged = new Map<string, Group & { resource: string; query: string | null }>()
    for (const group of [...told, ...overflow.values()]) {
      // A key's thousand questions at once are seven milliseconds in which nobody is answered.
      hashed += 1
      if (hashed % hashedAtOnce === 0) await nextTurn()
      const { count, rows } = group
      if (count === 0) continue
      Object.assign(group, { count: 0, rows: 0 })
      // The demo token is anybody's: told apart by query, its entries would be without bound.
      const isApart = reader?.kind === 'live' && group.target !== ''
      const query = isApart ? fingerprint(group.target) : null
      const resource = canonicalPath(group.route)
      const name = `${group.status} ${resource} ${query}`
      const known = merged.get(name)
      if (known) Object.assign(known, { count: known.count + count, rows: known.rows + rows })
      else merged.set(name, { ...group, count, rows, resource, query })
    }
    return [...merged.values()].map(({ resource, status, count, rows, query }) => ({
      actor: reader ? (reader.kind === 'demo' ? 'demo' : 'key') : 'anonymous',
      action: reader ? 'reads' : 'refusals',
      outcome: isRefusal(status) ? 'refused' : 'ok',
      customer: reader?.kind === 'demo' ? reader.customerId : undefined,
      keyId: reader?.kind === 'live' ? reader.keyId : undefined,
      details: { minute, resource, query, status, count, rows },
    }))
  }

  return {
    add(reader, target, status, rows, route) {
      const groups = groupsOf(reader)
      const known = groups.byStatus.get(status)?.get(target)
      if (known) known.count += 1
      const group = known ?? addNew(groups, target, status, route)
      group.rows += rows
    },
    addRefusal(route, status) {
      addOverflow(groupsOf(undefined), route, status)
    },
    async *drain() {
      const minute = `${new Date(since).toISOString().slice(0, 16)}Z`
      const counted = keys
      if (Math.floor(now() / minuteMs) !== Math.floor(since / minuteMs)) {
        keys = new Map()
        characters = 0
        since = now()
      }
      for (const groups of counted.values()) {
        const events = await toEvents(groups, minute)
        if (events.length > 0) yield events
      }
    },
    get size() {
      const all = [...keys.values()].flatMap(({ told, overflow }) => [...told, ...overflow.values()])
      return all.filter(({ count }) => count > 0).length
    },
  }
}
