import { canonicalPath, withoutPlace } from './fingerprint.ts'
import type { AuditEvent } from './record.ts'

/**
 * A live key has no customer here: it is looked up when the count is written, because another customer may have got
 * the slug of an erased one by then. See docs/decisions/0026-refused-tokens-are-audited-by-key.md.
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
   * `reader`: `undefined` if unknown. `route`: the pattern. `rows`: number of records in the answer. Lists read by
   * a live key are counted by query; single records, the demo and unknown readers by route.
   */
  add(reader: Reader | undefined, target: string, status: number, rows: number, route: string): void
  /** For an unknown client. `route` may also be a reason such as `login: invalid_api_key`. */
  addRefusal(route: string, status: number): void
  /** Yields the counts since the last call, a batch for each key. */
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

/** Queries counted separately, per key and minute. `add_audit_reads` enforces the limit for all instances together. */
const maxTargets = 100
/** Refused queries have half of the limits, so that a flood of them leaves room for other queries. */
const maxRefused = 50
/** Of all stored targets: at most 8 MB. */
const maxCharacters = 4 * 2 ** 20
const maxCharactersOfKey = maxCharacters / 8

const isRefusal = (status: number): boolean => status >= 400

const minuteMs = 60_000

/** Limits apply to each minute. `now`: milliseconds since 1970. */
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
