import { parsePairs } from '../http/pairs.ts'
import type { Definition } from './definition.ts'
import { DocumentError } from './faults.ts'
import { formerRevisionDays, type Granted, type Revision } from './granted.ts'

const formerMs = formerRevisionDays * 86_400_000

/** The current revision of the endpoint, and those that it has replaced lately; newest first. */
export const servedRevisions = (known: Granted, name: string, nowMs: number): readonly Revision[] => {
  const revisions = known.get(name) ?? []
  return revisions.filter(({ supersededAtMs: end }) => end === undefined || nowMs - end < formerMs)
}

/** The revision that the query asks for; the newest where it asks for none, or for one that is not served. */
export const chooseRevision = (revisions: readonly Revision[], rawQuery: string): Definition => {
  const [current] = revisions as [Revision, ...Revision[]]
  if (!rawQuery.includes('revision') && !rawQuery.includes('%')) return current.definition()
  const { value } = parsePairs(rawQuery).find(({ name }) => name === 'revision') ?? {}
  const asked = revisions.find(({ revision }) => String(revision) === value)
  return (asked ?? current).definition()
}

/** The definition alone; empty where this release does not take the document. A request for the endpoint says so. */
export const listDefinition = ({ definition }: Revision): Definition[] => {
  try {
    return [definition()]
  } catch (error) {
    if (error instanceof DocumentError) return []
    throw error
  }
}
