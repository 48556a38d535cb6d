import { type Kysely, sql } from 'kysely'
import { longestWord } from '../../../schemas/letters.ts'

/**
 * What updates of records write, by row. `bench:writers` takes out what stands between `-- history` and `-- end`. A trigger for each row needs no copies of the rows and no join. Whether it has
 * something to do is asked in the function: PostgreSQL reads a WHEN condition from its text for every statement.
 *
 * A record's changes have times in the order of their positions. An update or a deletion is never earlier than the
 * former change: see `updated_at` in 0008. Here this holds for creations, too: a record begins no earlier than the
 * former record under its key ended, also if its transaction is older than the one that deleted that record.
 */
type Written = {
  table: string
  /** Of a row `r`. */
  owner: string
  key: readonly string[]
  /** Columns whose former values history keeps; see 0018. */
  kept: readonly string[]
  /** Columns with a row in `elements` for each element. */
  arrays: readonly string[]
  /** Columns with words, for `q`. */
  worded: readonly string[]
  /** What 0001 derives for sorting. */
  derived: string
}

const list = (text: string) => text.split(/\s+/)
const sortDate = (column: string) => `new.${column}_sort := coalesce(new.${column}, 'infinity');`
const sortDates = (columns: string) => list(columns).map(sortDate).join(' ')

const tables: Readonly<Record<string, Pick<Written, 'kept' | 'arrays' | 'worded' | 'derived'>>> = {
  certificates: {
    kept: list(`number title product_id project_id approval_id supersedes_id country_code authority scheme
      certificate_type approval_status valid_from valid_until validity_periods issued_on holder standards tags source_url`),
    arrays: ['standards', 'tags'],
    worded: ['number', 'title', 'holder'],
    derived: sortDates('valid_from valid_until issued_on'),
  },
  products: {
    kept: list(`name part_numbers model brand manufacturer product_status category technologies hardware_version
      software_version parent_product_id tags`),
    arrays: ['part_numbers', 'tags'],
    worded: ['name', 'part_numbers', 'model', 'brand', 'manufacturer'],
    derived: `new.model_sort := coalesce('v' || new.model, 'w');`,
  },
  projects: {
    kept: list(`project_number customer_reference title status classification product_ids country_codes ordered_on due_on
      completed_on tags`),
    arrays: ['product_ids', 'country_codes', 'tags'],
    worded: ['project_number', 'customer_reference', 'title'],
    derived: sortDates('ordered_on due_on'),
  },
  lab: {
    kept: list(`report_number title test_type standards status result laboratory laboratory_country_code product_id
      project_id certificate_id supersedes_id tested_from tested_until issued_on revision document_url tags`),
    arrays: ['standards', 'tags'],
    worded: ['report_number', 'title', 'laboratory'],
    derived: sortDates('issued_on'),
  },
  approvals: {
    kept: list(`product_id country_code scheme project_id certificate_id status phase requested_on submitted_on decided_on
      expected_on tags`),
    arrays: ['tags'],
    worded: ['scheme', 'product_id', 'certificate_id'],
    derived: sortDates('requested_on expected_on'),
  },
  countries: {
    kept: list('code alpha3 name region blocs authorities requirements sources confidence reviewed_on'),
    arrays: [],
    worded: ['code', 'alpha3', 'name', 'authorities'],
    derived: '',
  },
}

const all = Object.entries(tables).map(([table, columns]): Written => {
  const isReference = table === 'countries'
  return {
    ...{ table, ...columns },
    owner: isReference ? `'*'` : 'r.customer_id',
    key: isReference ? ['id'] : ['customer_id', 'id'],
  }
})

const differ = (columns: readonly string[]) =>
  columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ')
const same = (columns: readonly string[]) => `not (${differ(columns)})`
const of = (row: 'old' | 'new', expression: string) => expression.replaceAll('r.', `${row}.`)

/** As in 0008, but that a record under another key is a new one. Others begin when they did, or when the former ended. */
const before = ({ table, owner, key, derived }: Written) => `
create or replace function ${table}_before() returns trigger language plpgsql as $$
begin
  ${derived}
  if tg_op = 'INSERT' then
    new.created_at := now();
    new.updated_at := now();
    new.created_xid := pg_current_xact_id();
    return new;
  end if;
  if ${differ(key)} then
    new.created_at := greatest(now(), old.updated_at);
    new.created_xid := pg_current_xact_id();
  else
    new.created_xid := old.created_xid;
    if ${differ(['created_at'])} then
      new.created_at := greatest(old.created_at, former_end(${of('new', owner)}, '${table}', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if new is not distinct from old then return null; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $$;`

/** A row `at`: when the last record under a key was deleted. The names are SQL. */
const lastDeletion = (owner: string, resource: string, id: string) => `select h.at from record_history h
    where h.customer_id = ${owner} and h.resource = ${resource} and h.record_id = ${id} and h.old ? 'created_at'
    order by h.position desc limit 1`

/**
 * Which transaction created a record, by which the feed tells whether a follower has it. Null: one before this migration.
 * Adding the column writes no row.
 */
const createdXid = ({ table }: Written) => `alter table ${table} add column created_xid xid8;`

/** The same as a function, for the few writers that ask; null: none was deleted. */
const formerEnd = `
create function former_end(owner text, of_resource text, id text) returns timestamptz
language plpgsql as $$
begin
  return (${lastDeletion('owner', 'of_resource', 'id')});
end $$;
revoke execute on function former_end from public;
grant execute on function former_end to certdata_operator;`

/** The columns of `kept` that differ, with their former values: members of a JSON object, as text. */
const difference = ({ kept }: Written) => {
  const member = (name: string) =>
    `case when old.${name} is distinct from new.${name} then '"${name}":' || coalesce(to_json(old.${name})::text, 'null') end`
  return `concat_ws(',', ${kept.map(member).join(',\n    ')})`
}

const logged = ({ table, owner }: Written, ...rows: ('old' | 'new')[]) => `
  insert into change_log (customer_id, resource, record_id)
    values ${rows.map((row) => `(${of(row, owner)}, '${table}', ${row}.id)`).join(', ')};`

/** As in 0018: the creation of a record that goes, unless it is forgotten, and its deletion. */
const gone = ({ table, owner, kept }: Written) => `
  select h.position, h.old = '{}' as is_mark into ended from record_history h
    where h.customer_id = ${of('old', owner)} and h.resource = '${table}' and h.record_id = old.id
      and (h.old ? 'created_at' or h.old = '{}')
    order by h.position desc limit 1;
  if ended.is_mark is not true then
    insert into record_history (customer_id, resource, record_id, position, at)
      values (${of('old', owner)}, '${table}', old.id, coalesce(ended.position + 1, 0), old.created_at);
  end if;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    values (${of('old', owner)}, '${table}', old.id, greatest(now(), old.updated_at), old.updated_at,
      jsonb_build_object('created_at', old.created_at, ${kept.map((name) => `'${name}', old.${name}`).join(', ')}));`

const keyOf = (key: readonly string[], row: string) =>
  key.map((column) => `${column} = ${row}.${column}`).join(' and ')

const byRow = (table: string, name: string) => `
create or replace trigger ${table}_${name} after update on ${table}
  for each row execute function ${table}_${name}();
alter table ${table} enable always trigger ${table}_${name};`

const logTriggers = (each: Written) => {
  const { table, owner, key } = each
  return `
create or replace function ${table}_log_insert() returns trigger language plpgsql as $$
declare late record;
begin
  insert into change_log (customer_id, resource, record_id) select ${owner}, '${table}', r.id from new_rows r;
  -- history
  for late in select r.* from new_rows r cross join lateral (${lastDeletion(owner, `'${table}'`, 'r.id')}) l
    where l.at > r.created_at loop
    update ${table} set created_at = 'infinity' where ${keyOf(key, 'late')};
  end loop;
  -- end
  return null;
end $$;

create or replace function ${table}_log_update() returns trigger language plpgsql as $$
declare former text;
begin
  if ${differ(key)} then return null; end if;${logged(each, 'new')}
  -- history
  former := ${difference(each)};
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values (${of('new', owner)}, '${table}', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $$;
${byRow(table, 'log_update')}

create or replace function ${table}_log_moved() returns trigger language plpgsql as $$
declare ended record;
begin${logged(each, 'old', 'new')}
  -- history${gone(each)}
  if former_end(${of('new', owner)}, '${table}', new.id) > new.created_at then
    update ${table} set created_at = 'infinity' where ${keyOf(key, 'new')};
  end if;
  -- end
  return null;
end $$;`
}

/** The elements of the row as it is now, less those of the row as it was. */
const elementTrigger = ({ table, key, arrays }: Written) => {
  if (arrays.length === 0) return ''
  const of = (row: 'old' | 'new') =>
    arrays
      .map(
        (name) =>
          `select ${row}.customer_id, '${name}' as field, v as value, ${row}.id from unnest(${row}.${name}) v`,
      )
      .join(' union ')
  return `
create or replace function ${table}_elements_update() returns trigger language plpgsql as $$
begin
  if ${same([...key, ...arrays])} then return null; end if;
  delete from elements e using ((${of('old')}) except (${of('new')})) g
    where e.customer_id = g.customer_id and e.resource = '${table}' and e.field = g.field and e.value = g.value and e.id = g.id;
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, '${table}', n.field, n.value, n.id from ((${of('new')}) except (${of('old')})) n on conflict do nothing;
  return null;
end $$;
${byRow(table, 'elements_update')}`
}

const texts: Readonly<Record<string, string>> = {
  part_numbers: `array_to_string(new.part_numbers, ' ')`,
  authorities: `(select string_agg(concat_ws(' ', a ->> 'name', a ->> 'abbreviation'), ' ')
      from jsonb_array_elements(new.authorities) a)`,
}

/** As in 0015. */
const wordTrigger = ({ table, owner, key, worded }: Written) => `
create or replace function ${table}_words_update() returns trigger language plpgsql as $$
begin
  if ${same([...key, ...worded])} then return null; end if;
  update record_words w set customer_id = ${of('new', owner)}, id = new.id, words = array_to_tsvector(array(
    select '${table}/' || ${of('new', owner)} || '/' || left(word, ${longestWord})
    from unnest(fold_words(concat_ws(' ', ${worded.map((field) => texts[field] ?? `new.${field}`).join(', ')}))) word
    where length(word) > 1))
  where w.customer_id = ${of('old', owner)} and w.resource = '${table}' and w.id = old.id;
  return null;
end $$;
${byRow(table, 'words_update')}`

/** All at once, so that no writer is between two of them. Readers go on. */
const lock = `lock table ${all.map(({ table }) => table).join(', ')} in share row exclusive mode;`

/** Has updates write the log, history, elements and words by row, and records begin when their keys are free. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const statements = [
    lock,
    formerEnd,
    ...all.flatMap((each) => [
      createdXid(each),
      before(each),
      logTriggers(each),
      elementTrigger(each),
      wordTrigger(each),
    ]),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
