import { canonicalPath, withoutPlace } from './fingerprint.ts'
import type { AuditEvent } from './record.ts'

/**
 * `undefined` if unknown. A live key's customer is looked up when the entry is written, because an erased
 * customer's name may be used by another.
 * See docs/decisions/0026-refused-tokens-are-audited-by-key.md.
 */
export type Reader = Readonly<
  { kind: 'live'; keyId: string } | { kind: 'demo'; customerId: string; keyId: string }
>

type ReadCountsOptions = {
  now: () => number
  fingerprint: (target: string) => string
}

// See docs/decisions/0077-reads-wait-in-an-unsealed-table.md.
export type ReadCounts = {
  /**
   * Counts an answer. `route`: the pattern, never the address. `rows`: records in the answer. Questions about
   * a single record and with the demo token are counted by route.
   */
  add(reader: Reader | undefined, target: string, status: number, rows: number, route: string): void
  /** Counts a refusal of an unknown client by route or reason. */
  addRefusal(route: string, status: number): void
  /** Yields the counts since the last call as entries, a batch for each key. */
  drain(): Generator<AuditEvent[], void>
  readonly size: number
}

type Group = { route: string; target: string; status: number; count: number; rows: number }
type Groups = {
  reader: Reader | undefined
  /** By status, then by target. */
  byStatus: Map<number, Map<string, Group>>
  all: Group[]
  told: number
  refused: number
  remainder: Map<number, Map<string, Group>>
  characters: number
}

/** Questions counted separately, per key and minute. `add_audit_reads` bounds all processes to the same. */
const maxTargets = 100
/** A flood of refusals leaves room for others. Also half of a key's characters. */
const maxRefused = 50
/** Of all stored addresses: at most 8 MB. */
const maxCharacters = 4 * 2 ** 20
/** Limit for one key, so that its long questions leave room for other keys. */
const maxCharactersOfKey = maxCharacters / 8

const isRefusal = (status: number): boolean => status >= 400

const minuteMs = 60_000

/** Counts reads in bounded memory. The bounds apply to a minute. `now`: milliseconds since 1970. */
export const createReadCounts = ({ now, fingerprint }: ReadCountsOptions): ReadCounts => {
  let keys = new Map<string, Groups>()
  let characters = 0
  let since = now()

  const getGroups = (reader: Reader | undefined): Groups => {
    const name = reader?.keyId ?? ''
    const known = keys.get(name)
    if (known) return known
    const groups: Groups = {
      ...{ reader, all: [], told: 0, refused: 0, characters: 0 },
      ...{ byStatus: new Map(), remainder: new Map() },
    }
    keys.set(name, groups)
    return groups
  }

  const addGroup = (groups: Groups, route: string, target: string, status: number): Group => {
    const group: Group = { route, target, status, count: 0, rows: 0 }
    const [byStatus, name] = target === '' ? [groups.remainder, route] : [groups.byStatus, target]
    byStatus.set(status, (byStatus.get(status) ?? new Map()).set(name, group))
    groups.all.push(group)
    return group
  }

  const findRemainder = (groups: Groups, route: string, status: number): Group =>
    groups.remainder.get(status)?.get(route) ?? addGroup(groups, route, '', status)

  const hasRoom = (groups: Groups, { length }: string, isRefused: boolean): boolean =>
    groups.told < maxTargets &&
    characters + length <= maxCharacters &&
    groups.characters + length <= (isRefused ? maxCharactersOfKey / 2 : maxCharactersOfKey) &&
    !(isRefused && groups.refused >= maxRefused)

  const findQuestion = (groups: Groups, target: string, status: number, route: string): Group => {
    const byTarget = groups.byStatus.get(status)
    const asked = byTarget?.get(target)
    if (asked) return asked
    const question = withoutPlace(target)
    const known = byTarget?.get(question)
    if (known) return known
    const isRefused = isRefusal(status)
    if (!hasRoom(groups, question, isRefused)) return findRemainder(groups, route, status)
    characters += question.length
    groups.characters += question.length
    groups.told += 1
    if (isRefused) groups.refused += 1
    return addGroup(groups, route, question, status)
  }

  const toEvents = ({ reader, all }: Groups, minute: string): AuditEvent[] => {
    const merged = new Map<string, Group & { resource: string; query: string | null }>()
    for (const group of all) {
      const { count, rows } = group
      if (count === 0) continue
      Object.assign(group, { count: 0, rows: 0 })
      const query = group.target === '' ? null : fingerprint(group.target)
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
      const groups = getGroups(reader)
      const isSeparate = reader?.kind === 'live' && !route.includes('/:')
      const group = isSeparate
        ? findQuestion(groups, target, status, route)
        : findRemainder(groups, route, status)
      group.count += 1
      group.rows += rows
    },
    addRefusal(route, status) {
      findRemainder(getGroups(undefined), route, status).count += 1
    },
    *drain() {
      const minute = `${new Date(since).toISOString().slice(0, 16)}Z`
      const counted = keys
      if (Math.floor(now() / minuteMs) !== Math.floor(since / minuteMs)) {
        keys = new Map()
        characters = 0
        since = now()
      }
      for (const groups of counted.values()) {
        const events = toEvents(groups, minute)
        if (events.length > 0) yield events
      }
    },
    get size() {
      return [...keys.values()].flatMap(({ all }) => all).filter(({ count }) => count > 0).length
    },
  }
}
