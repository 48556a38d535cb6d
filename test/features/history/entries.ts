import type { Fields, Records } from '../../records/read-all.ts'

export type Entry = {
  resource: string
  id: string
  at: string
  op: string
  cause?: string
  changes: Record<string, { from: unknown; to: unknown }>
}

/** Null and absent are equal. `updated_at` is not compared: it is the time of an entry. */
export const comparable = (record: Fields): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(record)
        .filter(([name, value]) => value !== null && name !== 'updated_at')
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  )

/** Undoes a change. Returns the fields whose values are not its new values. */
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
