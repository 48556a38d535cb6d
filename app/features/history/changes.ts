import { sql } from 'kysely'
import { instantText } from '../../db/instant.ts'
import { stateRow } from '../../records/history/states.ts'
import type { Field, Resource } from '../../records/resources/define.ts'
import type { Sql } from '../../records/sql/column.ts'
import { projection } from '../../records/sql/projection.ts'

// Computed fields without `where` change daily or with other records. `updated_at` equals `at` of the entry.
const hasHistory = ({ name, computed }: Field) =>
  (computed === undefined || computed.where !== undefined) && name !== 'updated_at'

const historyFields = ({ fields }: Resource): string[] =>
  [...fields.values()].filter(hasHistory).map(({ name }) => name)

const toJson = (side: string, name: string) => `coalesce(to_json(${side}.${name})::text, 'null')`

const selectChange = (name: string): string =>
  `case when b.${name}::text is distinct from a.${name}::text
    then '"${name}":{"from":' || ${toJson('b', name)} || ',"to":' || ${toJson('a', name)} || '}' end`

const side = (alias: 'a' | 'b', resource: Resource): Sql => {
  const [state, day] = alias === 'b' ? ['e.before', 'e.day_before'] : ['e.after', 'e.day_after']
  const fields = projection(resource, historyFields(resource), { day: sql.raw(day), window: undefined })
  return sql`left join lateral (select ${fields} from ${stateRow(resource, sql.raw(state))} where ${sql.raw(state)} is not null)
    ${sql.raw(alias)} on true`
}

/** Joins `t` to an event `e`, whose states are jsonb or null. `t.changes`: JSON members as text, or ''. */
export const joinChanges = (resource: Resource): Sql => {
  const members = historyFields(resource).map(selectChange)
  return sql`${side('b', resource)} ${side('a', resource)}
    cross join lateral (select concat_ws(',', ${sql.raw(members.join(',\n'))}) as changes) t`
}

/** Returns SQL of type text: the entry of `e` and `t` as JSON. */
export const entryText = (resource: Resource): Sql => sql`${sql.lit(`{"resource":"${resource.name}","id":`)}
  || to_json(e.record_id)::text || ',"at":"' || ${sql.raw(instantText('e.at'))} || '","op":"' || e.op
  || case when e.day_before < e.day_after then '","cause":"day","changes":{' else '","changes":{' end || t.changes || '}}'`

/** Returns SQL for a UTC date. `instant`: an SQL expression. */
export const toDay = (instant: string): Sql => sql.raw(`(${instant} at time zone 'UTC')::date`)
