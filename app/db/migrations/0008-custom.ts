import { type Kysely, sql } from 'kysely'

/**
 * Custom endpoints: documents, who may ask for them, and what their answers need beside the records.
 * Frozen once released: later changes are later migrations.
 */
const endpoints = `
create table custom_endpoints (
  name text collate "C" primary key check (name ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  to_everyone boolean not null default false
);
comment on column custom_endpoints.to_everyone is 'granted to every customer whose own grant does not say otherwise';

create table custom_documents (
  name text collate "C" not null references custom_endpoints (name) on delete cascade,
  revision integer not null check (revision > 0),
  document text not null,
  applied_at timestamptz not null default now(),
  superseded_at timestamptz,
  primary key (name, revision)
);
comment on column custom_documents.document is 'JSON as text: the order of its members is that of the answer';
create unique index custom_documents_current on custom_documents (name) where superseded_at is null;

create table custom_grants (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  name text collate "C" not null references custom_endpoints (name) on delete cascade,
  granted boolean not null,
  changed_at timestamptz not null default now(),
  primary key (customer_id, name)
);
create index custom_grants_name on custom_grants (name);
alter table custom_grants enable row level security;
alter table custom_grants force row level security;
create policy operator on custom_grants for all to certdata_operator using (true) with check (true);
grant select, insert, update, delete on custom_endpoints, custom_documents, custom_grants to certdata_operator;

-- The serving role sees what one customer was granted, and nothing else of documents and grants. A day more than
-- a former revision is served: which instant ends it is for the service's clock.
create function find_custom_endpoints(wanted text)
returns table (name text, revision integer, document text, superseded_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.name, d.revision, d.document, d.superseded_at
  from custom_endpoints e
  join custom_documents d on d.name = e.name
  left join custom_grants g on g.customer_id = wanted and g.name = e.name
  where coalesce(g.granted, e.to_everyone)
    and (d.superseded_at is null or d.superseded_at > now() - interval '31 days')
$$;
create function find_customer_since(wanted text) returns timestamptz
language sql stable security definer set search_path = public, pg_temp as $$
  select c.created_at from customers c where c.customer_id = wanted
$$;
revoke execute on function find_custom_endpoints, find_customer_since from public;
grant execute on function find_custom_endpoints, find_customer_since to certdata_reader;`

/** `custom` in the change log: what is granted to one customer, or to anybody, may be another now. */
const logged = (table: string, customer: string) => {
  const changes = (rows: string) => `
  insert into change_log (customer_id, resource, record_id)
    select distinct ${customer}, 'custom', r.name from ${rows} r;`
  const transitions = {
    insert: { referencing: 'new table as new_rows', body: changes('new_rows') },
    update: {
      referencing: 'old table as old_rows new table as new_rows',
      // Of both: what was there under a former key is gone.
      body: changes('(table old_rows union all table new_rows)'),
    },
    delete: { referencing: 'old table as old_rows', body: changes('old_rows') },
  }
  const statements = Object.entries(transitions).map(
    ([event, { referencing, body }]) => `
create function ${table}_log_${event}() returns trigger language plpgsql as $$
begin ${body}
  return null;
end $$;
create trigger ${table}_log_${event} after ${event} on ${table} referencing ${referencing}
  for each statement execute function ${table}_log_${event}();
alter table ${table} enable always trigger ${table}_log_${event};`,
  )
  return `${statements.join('')}
create function ${table}_log_truncate() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id) values ('*', 'custom', '*');
  return null;
end $$;
create trigger ${table}_log_truncate after truncate on ${table}
  for each statement execute function ${table}_log_truncate();
alter table ${table} enable always trigger ${table}_log_truncate;`
}

/**
 * When something was last taken away. A row that is there says itself when it changed; of one that is gone only
 * the change log knows, and that is pruned. Written by statements that delete, and by no others: a row each, whose
 * key no other transaction can have, so that nobody waits for anybody. Never earlier than the newest change of what
 * went: transactions that began earlier may delete later.
 */
const removals = `
create table removals (
  customer_id text collate "C" not null,
  resource text collate "C" not null,
  changed_at timestamptz not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (customer_id, resource, changed_at, xid)
);
comment on table removals is 'when records were last deleted; * = everybody''s. Only the newest of each counts';
alter table removals enable row level security;
alter table removals force row level security;
create policy operator on removals for all to certdata_operator using (true) with check (true);
create policy reader on removals for select to certdata_reader
  using (customer_id in (nullif(current_setting('app.customer_id', true), ''), '*'));
grant select, insert, delete on removals to certdata_operator;
grant select on removals to certdata_reader;

-- Only rows that a newer one has made idle: nobody waits for them.
create function prune_removals() returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  delete from removals r where exists (
    select from removals n where n.customer_id = r.customer_id and n.resource = r.resource
      and (n.changed_at, n.xid) > (r.changed_at, r.xid))
$$;
revoke execute on function prune_removals from public;
grant execute on function prune_removals to certdata_reader, certdata_operator;`

const removalTriggers = (table: string, customer: string, key: string) => `
create function ${table}_removed() returns trigger language plpgsql as $$
begin
  insert into removals (customer_id, resource, changed_at)
    select ${customer.replaceAll('r.', 'o.')}, '${table}', greatest(now(), max(o.updated_at)) from old_rows o
    group by 1 on conflict do nothing;
  return null;
end $$;
create trigger ${table}_removed after delete on ${table} referencing old table as old_rows
  for each statement execute function ${table}_removed();
alter table ${table} enable always trigger ${table}_removed;
create function ${table}_moved() returns trigger language plpgsql as $$
begin
  insert into removals (customer_id, resource, changed_at)
    values (${customer.replaceAll('r.', 'old.')}, '${table}', greatest(now(), old.updated_at))
    on conflict do nothing;
  return null;
end $$;
create trigger ${table}_moved after update of ${key} on ${table} for each row
  when ((old.${key.replaceAll(', ', ', old.')}) is distinct from (new.${key.replaceAll(', ', ', new.')}))
  execute function ${table}_moved();
alter table ${table} enable always trigger ${table}_moved;
create function ${table}_emptied() returns trigger language plpgsql as $$
begin
  insert into removals (customer_id, resource, changed_at) values ('*', '${table}', now()) on conflict do nothing;
  return null;
end $$;
create trigger ${table}_emptied after truncate on ${table} for each statement execute function ${table}_emptied();
alter table ${table} enable always trigger ${table}_emptied;`

/** As in 0001, but that `updated_at` never goes back: a transaction that began earlier may change the row later. */
const beforeRow = (table: string, derived: string) => `
create or replace function ${table}_before() returns trigger language plpgsql as $$
begin
  ${derived}
  if tg_op = 'INSERT' then
    new.created_at := now();
    new.updated_at := now();
    return new;
  end if;
  new.created_at := old.created_at;
  new.updated_at := old.updated_at;
  if new is not distinct from old then return null; end if;
  new.updated_at := greatest(now(), old.updated_at);
  return new;
end $$;`

const sortDate = (column: string) => `new.${column}_sort := coalesce(new.${column}, 'infinity');`
const derived: Record<string, string> = {
  certificates: ['valid_from', 'valid_until', 'issued_on'].map(sortDate).join(' '),
  products: `new.model_sort := coalesce('v' || new.model, 'w');`,
  projects: ['ordered_on', 'due_on'].map(sortDate).join(' '),
  lab: sortDate('issued_on'),
  approvals: ['requested_on', 'expected_on'].map(sortDate).join(' '),
  countries: '',
}

/**
 * What counts ask is in an index, so that counting does not read the rows. No index more, and no update that is
 * dearer for it: `updated_at` is indexed, so none was a heap-only one.
 */
const covering = `
drop index certificates_valid_until;
create index certificates_valid_until on certificates (customer_id, valid_until_sort, id)
  include (approval_status, valid_from_sort);
drop index products_created_at;
create index products_created_at on products (customer_id, created_at, id) include (product_status);
drop index approvals_created_at;
create index approvals_created_at on approvals (customer_id, created_at, id) include (status);`

const records = ['certificates', 'products', 'projects', 'lab', 'approvals']

/** Creates the tables of custom endpoints and of removals, their triggers, and the covering indexes. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const statements = [
    endpoints,
    logged('custom_endpoints', "'*'"),
    logged('custom_documents', "'*'"),
    logged('custom_grants', 'r.customer_id'),
    removals,
    ...records.map((table) => removalTriggers(table, 'r.customer_id', 'customer_id, id')),
    removalTriggers('countries', "'*'", 'id'),
    ...Object.entries(derived).map(([table, body]) => beforeRow(table, body)),
    covering,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
