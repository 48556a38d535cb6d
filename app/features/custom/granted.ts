import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { dayMs } from '../../config/units.ts'
import { inTurn, type QueuedDb } from '../../db/connect.ts'
import type { QueryString } from '../../http/pairs.ts'
import {
  createFacts,
  type Fact,
  type FactsOptions,
  loadFact,
  type StampRow,
  stampColumns,
} from '../../identity/facts.ts'
import { customChanges } from '../../identity/granted-scopes.ts'
import { checkDocument } from './check.ts'
import type { Definition } from './definition.ts'
import { DocumentError } from './faults.ts'

export type Revision = Readonly<{
  revision: number
  /** Throws a DocumentError if this release rejects the document. Other endpoints are not affected. */
  definition: () => Definition
  /** When a newer revision replaced it. `undefined` for the current revision. */
  supersededAtMs: number | undefined
}>

/** Revisions by name of the endpoint, newest first. */
export type Granted = ReadonlyMap<string, readonly Revision[]>

export const previousRevisionDays = 30

type Row = { name: string; revision: number; document: string; superseded: number | null }

const createDefinitions = () => {
  const known = new LRUCache<string, Definition>({ max: 1_000 })
  return (text: string): Definition => {
    const found = known.get(text)
    if (found) return found
    const definition = checkDocument(JSON.parse(text))
    known.set(text, definition)
    return definition
  }
}

const toGranted = (rows: readonly Row[], parse: (text: string) => Definition): Granted => {
  const ordered = [...rows].sort((a, b) => b.revision - a.revision)
  const toRevision = ({ revision, document, superseded }: Row): Revision => {
    return { revision, definition: () => parse(document), supersededAtMs: superseded ?? undefined }
  }
  const granted = Map.groupBy(ordered, ({ name }) => name)
  return new Map([...granted].map(([name, revisions]) => [name, revisions.map(toRevision)]))
}

const load = (
  db: QueuedDb,
  customerId: string,
  parse: (text: string) => Definition,
): Promise<Fact<Granted>> => {
  const statement = sql<StampRow & { documents: Row[] }>`
    select ${stampColumns}, coalesce((select json_agg(json_build_object('name', e.name, 'revision', e.revision,
      'document', e.document, 'superseded', extract(epoch from e.superseded_at) * 1000))
      from find_custom_endpoints(${customerId}) e), '[]') as documents`
  return loadFact(db, customerId, statement, ({ documents }) => toGranted(documents, parse))
}

/** Creates a cached grant reader. Changes take effect within 1 s. Rejects with unavailable or overloaded. */
export const createGranted = (options: FactsOptions & { db: QueuedDb }) => {
  const { db } = options
  const parse = createDefinitions()
  const { find } = createFacts((customerId) => inTurn(db, customerId, () => load(db, customerId, parse)), {
    ...options,
    dependsOn: [customChanges],
  })
  return async (customerId: string): Promise<Granted> => (await find(customerId)) ?? new Map()
}

const formerMs = previousRevisionDays * dayMs

/** The current revision and those replaced in the last 30 days, newest first. Empty without a grant. */
export const servedRevisions = (known: Granted, name: string, nowMs: number): readonly Revision[] => {
  const revisions = known.get(name) ?? []
  return revisions.filter(({ supersededAtMs: end }) => end === undefined || nowMs - end < formerMs)
}

/** The requested revision, otherwise the newest. `createReaders` refuses a revision that is not served. */
export const chooseRevision = (revisions: readonly Revision[], rawQuery: QueryString): Definition => {
  const [current] = revisions as [Revision, ...Revision[]]
  const { text } = rawQuery
  if (!text.includes('revision') && !text.includes('%')) return current.definition()
  const { value } = rawQuery.pairs.find(({ name }) => name === 'revision') ?? {}
  const asked = revisions.find(({ revision }) => String(revision) === value)
  return (asked ?? current).definition()
}

/** The current definitions by name, without documents that this release rejects: only their requests fail. */
export const listCurrent = (known: Granted): Definition[] =>
  [...known.keys()].sort().flatMap((name) => {
    const [current] = known.get(name) ?? []
    try {
      return current ? [current.definition()] : []
    } catch (error) {
      if (error instanceof DocumentError) return []
      throw error
    }
  })
