import type { Resource } from '../records/resources/define.ts'

type States = Readonly<Record<string, readonly string[]>>

const listReachable = (states: States, from: string): Set<string> => {
  const reached = new Set<string>()
  const open = [from]
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const next of states[state] ?? []) {
      if (!reached.has(next)) open.push(next)
      reached.add(next)
    }
  }
  return reached
}

/** The fields of a resource whose states move along declared ways only. */
export const listStateFields = (resource: Resource): string[] => Object.keys(resource.importing.transitions)

/** Whether a record may come from one state to the other, by any number of steps; staying counts. */
export const isReachable = (resource: Resource, field: string, from: string, to: string): boolean =>
  from === to || listReachable(resource.importing.transitions[field] ?? {}, from).has(to)
