import { type Kysely, sql } from 'kysely'
import { accents, letters, longestWord, spellings } from '../../../schemas/letters.ts'

/**
 * Words of records, for `q`. Each record with words has a row: its words, folded, as a `tsvector`. A word stands behind
 * resource and customer (`certificates/acme/tracker`), so the index is entered by the customer. Triggers keep the rows.
 * Matching a `tsvector` is not leakproof: under row level security no index would serve it. So `find_by_words` reads
 * the table as its owner, for the customer of the session alone.
 */

const toEscape = (point: string) =>
  point.length > 4 ? `\\U${point.padStart(8, '0')}` : `\\u${point.padStart(4, '0')}`
const asClass = (ranges: string) =>
  ranges
    .trim()
    .split(/\s+/)
    .map((range) => range.split('-').map(toEscape).join('-'))
    .join('')

const ofLength = (wanted: (length: number) => boolean) =>
  Object.entries(spellings).filter(([, spelling]) => wanted(spelling.length))
const [single, several] = [ofLength((n) => n === 1), ofLength((n) => n > 1)]
const column = (pairs: [string, string][], index: 0 | 1) => pairs.map((pair) => pair[index]).join('')
const spelled = several.reduce(
  (text, [letter, spelling]) => `replace(${text}, '${letter}', '${spelling}')`,
  `translate(lower(regexp_replace(normalize(value, NFKD) collate "C", '[${asClass(accents)}]+', '', 'g')
    collate "und-x-icu"), '${column(single, 0)}', '${column(single, 1)}')`,
)

/** The one function for records and for queries. ASCII, as most texts are, takes a fifth of the time. */
const fold = `
create function fold_words(value text) returns text[]
language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(value) = length(value) then
    return regexp_split_to_array(lower(value collate "C"), '[^a-z0-9]+');
  end if;
  return regexp_split_to_array(${spelled} collate "C",
    '[^a-z0-9${asClass(letters)}]+');
end $$;`

/**
 * A customer's rows go with the customer's records. Countries belong to nobody: their rows are those of `*`. The serving
 * role has no right here, only to call `find_by_words`.
 */
const table = `
create table record_words (
  customer_id text collate "C" not null,
  resource text collate "C" not null,
  id text collate "C" not null,
  words tsvector not null,
  primary key (customer_id, resource, id)
);
comment on table record_words is 'words of each record, for q; written by triggers';
alter table record_words enable row level security;
alter table record_words force row level security;
create policy operator on record_words for all to certdata_operator using (true) with check (true);
grant select, insert, update, delete on record_words to certdata_operator;`

/** Entries that wait to be sorted in are read by every search: at most 1 MB of them. */
const index = `create index record_words_words on record_words using gin (words) with (gin_pending_list_limit = 1024);`

/**
 * Ids of the records in which each of these words begins a word. None of another customer's than the session's,
 * whoever is asked for. `rows 10`: the planner looks the records up by their ids, so that the cost is that of the
 * matches.
 */
const find = `
create function find_by_words(owner text, wanted_resource text, wanted text[]) returns setof text
language plpgsql stable security definer rows 10 set search_path = public, pg_temp as $$
declare
  place text := wanted_resource || '/' || owner || '/';
begin
  if owner is distinct from '*' and owner is distinct from nullif(current_setting('app.customer_id', true), '') then
    return;
  end if;
  return query select w.id from record_words w where w.words @@ (
    select string_agg(quote_literal(place || word) || ':*', ' & ')::tsquery
    from unnest(fold_words(array_to_string(wanted, ' '))) word);
end $$;
revoke execute on function find_by_words from public;
grant execute on function find_by_words to certdata_reader, certdata_operator;`

/** Fields with words of each resource, and the text over a row `r` that has them all. */
const authorities = `(select string_agg(concat_ws(' ', a ->> 'name', a ->> 'abbreviation'), ' ')
  from jsonb_array_elements(r.authorities) a)`

type Worded = {
  table: string
  fields: readonly string[]
  text?: Readonly<Record<string, string>>
  owner?: string
}

const worded: readonly Worded[] = [
  { table: 'certificates', fields: ['number', 'title', 'holder'] },
  {
    table: 'products',
    fields: ['name', 'part_numbers', 'model', 'brand', 'manufacturer'],
    text: { part_numbers: `array_to_string(r.part_numbers, ' ')` },
  },
  { table: 'projects', fields: ['project_number', 'customer_reference', 'title'] },
  { table: 'lab', fields: ['report_number', 'title', 'laboratory'] },
  { table: 'approvals', fields: ['scheme', 'product_id', 'certificate_id'] },
  {
    table: 'countries',
    fields: ['code', 'alpha3', 'name', 'authorities'],
    text: { authorities },
    owner: `'*'`,
  },
]

/** Rows of the table of words for these rows of a record table. Words of one letter are never asked for. */
const wordsOf = ({ table, fields, text = {}, owner = 'r.customer_id' }: Worded, rows: string) => `
  select ${owner}, '${table}', r.id, array_to_tsvector(array(
    select '${table}/' || ${owner} || '/' || left(word, ${longestWord})
    from unnest(fold_words(concat_ws(' ', ${fields.map((field) => text[field] ?? `r.${field}`).join(', ')}))) word
    where length(word) > 1))
  from ${rows} r`

/** After each statement. An update of other fields costs a comparison. */
const triggers = (each: Worded) => {
  const { table, fields, owner = 'r.customer_id' } = each
  const key = owner === 'r.customer_id' ? 'customer_id, id' : 'id'
  const columns = [key, ...fields].join(', ')
  const removed = (rows: string) => `
  delete from record_words w using ${rows} r
  where w.customer_id = ${owner} and w.resource = '${table}' and w.id = r.id;`
  const added = (rows: string) => `
  insert into record_words ${wordsOf(each, rows)};`
  const differing = (from: string, others: string) =>
    `(select ${columns} from ${from} except select ${columns} from ${others})`
  const events = {
    insert: { rows: 'new table as new_rows', body: added('new_rows') },
    update: {
      rows: 'old table as old_rows new table as new_rows',
      body: removed(differing('old_rows', 'new_rows')) + added(differing('new_rows', 'old_rows')),
    },
    delete: { rows: 'old table as old_rows', body: removed('old_rows') },
    truncate: {
      rows: '',
      body: `
  delete from record_words where resource = '${table}';`,
    },
  }
  return Object.entries(events)
    .map(
      ([event, { rows, body }]) => `
create function ${table}_words_${event}() returns trigger language plpgsql as $$
begin${body}
  return null;
end $$;
create trigger ${table}_words_${event} after ${event} on ${table} ${rows && `referencing ${rows}`}
  for each statement execute function ${table}_words_${event}();
alter table ${table} enable always trigger ${table}_words_${event};`,
    )
    .join('')
}

/**
 * Words of records that are there already. Writers wait meanwhile, about a minute for each million records; readers
 * do not. The operator reads, because the owner sees no rows: row level security is forced.
 */
const lock = `lock table ${worded.map(({ table }) => table).join(', ')} in share row exclusive mode;`
const filled = worded.map((each) => `insert into record_words ${wordsOf(each, each.table)};`).join('')

/** Creates the table of words, what keeps it, what reads it, and the words of all records. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const fill = `set local role certdata_operator; ${filled} reset role;`
  const statements = [fold, table, find, lock, fill, index, ...worded.map(triggers)]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
