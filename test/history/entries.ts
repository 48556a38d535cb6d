import type { Fields, Records } from '../feed/follower.ts'

/** An entry of a history, as answers have it. */
export type Entry = {
  resource: string
  id: string
  at: string
  op: string
  changes: Record<string, { from: unknown; to: unknown }>
}

/** Absent is null. The time of the last change is that of the entries. */
export const comparable = (record: Fields): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(record)
        .filter(([name, value]) => value !== null && name !== 'updated_at')
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  )

/** Takes a change back, and says where its new values are not those that are there. */
export const undo = (records: Records, { resource, id, op, changes }: Entry): string[] => {
  const key = `${resource}/${id}`
  const record = op === 'delete' ? {} : records.get(key)
  if (!record) return [`${key} is not there`]
  const wrong = Object.entries(changes).flatMap(([name, { to }]) =>
    op !== 'delete' && JSON.stringify(record[name]) !== JSON.stringify(to) ? [`${key}.${name}`] : [],
  )
  if (op === 'create') records.delete(key)
  else {
    const former = Object.entries(changes).map(([name, { from }]) => [name, from])
    records.set(key, { ...record, ...Object.fromEntries(former) })
  }
  return wrong
}
