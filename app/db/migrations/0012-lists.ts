import { type Kysely, sql } from 'kysely'

/**
 * Arrays of records are lists: of one dimension, counted from 1, without nulls. Of others pages, exports and the feed
 * each made something else, an export even with cells in their neighbours' columns. The import writes no others;
 * whoever writes the tables with SQL hears of it.
 */
const lists: Readonly<Record<string, readonly string[]>> = {
  certificates: ['standards', 'tags'],
  products: ['part_numbers', 'technologies', 'tags'],
  projects: ['product_ids', 'country_codes', 'tags'],
  lab: ['standards', 'tags'],
  approvals: ['tags'],
  countries: ['blocs', 'sources'],
}

/** By `case`, because `array_position` refuses arrays of several dimensions. */
const isList = (column: string) => `case when array_ndims(${column}) > 1 then false
  else coalesce(array_lower(${column}, 1), 1) = 1 and array_position(${column}, null) is null end`

/** What is no list becomes one: its elements in their order. */
const repair = (table: string, column: string) => `
update ${table} set ${column} = array(
  select v from unnest(${column}) with ordinality u (v, n) where v is not null order by n)
where not (${isList(column)});`

/** All of a table at once, so that it is read once while nobody else may. */
const check = (table: string, columns: readonly string[]) => {
  const constraints = columns.map((each) => `add constraint ${table}_${each}_list check (${isList(each)})`)
  return `alter table ${table} ${constraints.join(', ')};`
}

const repairs = Object.entries(lists).flatMap(([table, columns]) =>
  columns.map((each) => repair(table, each)),
)
const checks = Object.entries(lists).map((each) => check(...each))

/** The operator repairs, because the owner sees no rows: row level security is forced. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql.raw(`set local role certdata_operator; ${repairs.join('')} reset role;`).execute(db)
  await sql.raw(checks.join('')).execute(db)
}
