import { type Kysely, sql } from 'kysely'

/**
 * The customer's records. The tables are a public interface: the operator's system may write them itself
 * (docs/schema.md), so what keeps them right lives here, in checks and triggers, not in our code.
 * Frozen once released: later changes are later migrations.
 */

const recordTables = ['certificates', 'products', 'projects', 'lab', 'approvals'] as const

const idCheck = `check (id ~ '^[A-Za-z0-9._~-]{1,64}$' and id !~ '^[.]+$')`
const key = `
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  id text collate "C" not null ${idCheck},`
const stamps = `
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (customer_id, id)`
/** Indexed texts: what fits a B-tree entry beside customer and id. */
const shortText = (column: string) =>
  `${column} text collate "C" not null check (octet_length(${column}) <= 2000)`
const relation = (column: string) => `${column} text collate "C"`
const oneOf = (column: string, values: string[], nullable = false) =>
  `${column} text collate "C" ${nullable ? '' : 'not null '}check (${column} in (${values.map((v) => `'${v}'`).join(', ')}))`

const tables = `
create domain calendar_date as date check (value between date '0001-01-01' and date '9999-12-31');

create table customers (
  customer_id text collate "C" primary key check (customer_id ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  name text not null,
  ${oneOf('plan', ['basic', 'premium', 'enterprise'])} default 'basic',
  suspended_at timestamptz,
  expiring_within integer not null default 90 check (expiring_within between 1 and 365),
  created_at timestamptz not null default now()
);

create table certificates (${key}
  ${shortText('number')},
  title text collate "C" not null,
  ${relation('product_id')}, ${relation('project_id')}, ${relation('approval_id')}, ${relation('supersedes_id')},
  ${relation('country_code')}, ${relation('authority')}, ${relation('scheme')},
  ${oneOf('certificate_type', ['type_approval', 'declaration_of_conformity', 'certificate_of_conformity', 'registration', 'safety_certificate', 'module_approval', 'other'], true)},
  ${oneOf('approval_status', ['pending', 'approved', 'conditional', 'rejected', 'suspended', 'revoked', 'withdrawn', 'superseded'])},
  valid_from calendar_date, valid_until calendar_date,
  valid_from_sort date not null, valid_until_sort date not null,
  validity_periods jsonb not null default '[]',
  issued_on calendar_date, issued_on_sort date not null,
  holder text collate "C",
  standards text[] collate "C" not null default '{}',
  tags text[] collate "C" not null default '{}',
  source_url text collate "C",${stamps}
);

create table products (${key}
  ${shortText('name')},
  part_numbers text[] collate "C" not null default '{}',
  model text collate "C" check (octet_length(model) <= 2000), model_sort text collate "C" not null,
  brand text collate "C", manufacturer text collate "C",
  ${oneOf('product_status', ['draft', 'in_development', 'active', 'phase_out', 'discontinued'])} default 'active',
  category text collate "C",
  technologies text[] collate "C" not null default '{}' check (technologies <@ array['wifi', 'bluetooth',
    'cellular', 'nfc', 'uwb', 'srd', 'gnss', 'radar', 'lpwan', 'satellite', 'wireless_power']),
  hardware_version text collate "C", software_version text collate "C",
  ${relation('parent_product_id')},
  tags text[] collate "C" not null default '{}',${stamps}
);

create table projects (${key}
  ${shortText('project_number')},
  customer_reference text collate "C",
  title text collate "C" not null,
  ${oneOf('status', ['draft', 'quoted', 'ordered', 'in_progress', 'on_hold', 'completed', 'cancelled', 'declined'])} default 'draft',
  ${oneOf('classification', ['new_certification', 'renewal', 'modification', 'variant', 'extension', 'transfer', 'pre_compliance', 'testing', 'consulting'], true)},
  product_ids text[] collate "C" not null default '{}',
  country_codes text[] collate "C" not null default '{}',
  ordered_on calendar_date, ordered_on_sort date not null,
  due_on calendar_date, due_on_sort date not null,
  completed_on calendar_date,
  tags text[] collate "C" not null default '{}',${stamps}
);

create table lab (${key}
  ${shortText('report_number')},
  title text collate "C" not null,
  ${oneOf('test_type', ['radio', 'emc', 'safety', 'sar', 'environmental', 'protocol', 'cybersecurity', 'energy'], true)},
  standards text[] collate "C" not null default '{}',
  ${oneOf('status', ['planned', 'in_testing', 'draft', 'issued', 'superseded', 'withdrawn', 'cancelled'])},
  ${oneOf('result', ['pass', 'fail', 'pass_with_deviation', 'inconclusive'], true)},
  laboratory text collate "C", ${relation('laboratory_country_code')},
  ${relation('product_id')}, ${relation('project_id')}, ${relation('certificate_id')}, ${relation('supersedes_id')},
  tested_from calendar_date, tested_until calendar_date,
  issued_on calendar_date, issued_on_sort date not null,
  revision integer not null default 1,
  document_url text collate "C",
  tags text[] collate "C" not null default '{}',${stamps}
);

create table approvals (${key}
  ${relation('product_id')} not null,
  ${relation('country_code')} not null,
  scheme text collate "C" not null,
  ${relation('project_id')}, ${relation('certificate_id')},
  ${oneOf('status', ['planned', 'preparing', 'testing', 'submitted', 'in_review', 'information_requested', 'on_hold', 'granted', 'rejected', 'cancelled', 'not_required'])} default 'planned',
  ${oneOf('phase', ['initial', 'renewal', 'modification'], true)},
  requested_on calendar_date, requested_on_sort date not null,
  submitted_on calendar_date, decided_on calendar_date,
  expected_on calendar_date, expected_on_sort date not null,
  tags text[] collate "C" not null default '{}',${stamps}
);

create table countries (
  id text collate "C" primary key check (id ~ '^[A-Z]{2}$'),
  code text collate "C" not null check (code = id),
  alpha3 text collate "C" not null check (alpha3 ~ '^[A-Z]{3}$'),
  name text collate "C" not null,
  ${oneOf('region', ['europe', 'americas', 'asia_pacific', 'middle_east_africa', 'cis'])},
  blocs text[] collate "C" not null default '{}',
  authorities jsonb not null default '[]',
  requirements jsonb not null,
  sources text[] collate "C" not null default '{}',
  ${oneOf('confidence', ['high', 'medium', 'low'])} default 'low',
  reviewed_on calendar_date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- One row per element of an array that can be filtered: conditions on arrays themselves (&&, @>) are not
-- leakproof, so under row level security no index would serve them.
create table elements (
  customer_id text collate "C" not null,
  resource text collate "C" not null,
  field text collate "C" not null,
  value text collate "C" not null check (octet_length(value) <= 2000),
  id text collate "C" not null,
  primary key (customer_id, resource, field, value, id)
);`

/** Sort keys and selective filters, one index each (contract, section 3); the test asks EXPLAIN. */
const indexes = `
create index certificates_number on certificates (customer_id, number, id);
create index certificates_valid_until on certificates (customer_id, valid_until_sort, id);
create index certificates_valid_from on certificates (customer_id, valid_from_sort, id);
create index certificates_issued_on on certificates (customer_id, issued_on_sort, id);
create index certificates_updated_at on certificates (customer_id, updated_at, id);
create index certificates_created_at on certificates (customer_id, created_at, id);
create index certificates_product_id on certificates (customer_id, product_id) where product_id is not null;
create index certificates_project_id on certificates (customer_id, project_id) where project_id is not null;
create index certificates_approval_id on certificates (customer_id, approval_id) where approval_id is not null;
create index certificates_country_code on certificates (customer_id, country_code) where country_code is not null;
-- Most certificates are approved: the others, void or pending, are what a filter on validity selects.
create index certificates_not_standing on certificates (customer_id, approval_status)
  where approval_status in ('pending', 'rejected', 'suspended', 'revoked', 'withdrawn', 'superseded');

create index products_name on products (customer_id, name, id);
create index products_model on products (customer_id, model_sort, id);
create index products_updated_at on products (customer_id, updated_at, id);
create index products_created_at on products (customer_id, created_at, id);
create index products_parent on products (customer_id, parent_product_id) where parent_product_id is not null;

create index projects_project_number on projects (customer_id, project_number, id);
create index projects_due_on on projects (customer_id, due_on_sort, id);
create index projects_ordered_on on projects (customer_id, ordered_on_sort, id);
create index projects_completed_on on projects (customer_id, completed_on) where completed_on is not null;
create index projects_updated_at on projects (customer_id, updated_at, id);
create index projects_created_at on projects (customer_id, created_at, id);

create index lab_issued_on on lab (customer_id, issued_on_sort, id);
create index lab_report_number on lab (customer_id, report_number, id);
create index lab_updated_at on lab (customer_id, updated_at, id);
create index lab_created_at on lab (customer_id, created_at, id);
create index lab_product_id on lab (customer_id, product_id) where product_id is not null;
create index lab_project_id on lab (customer_id, project_id) where project_id is not null;
create index lab_certificate_id on lab (customer_id, certificate_id) where certificate_id is not null;

create index approvals_expected_on on approvals (customer_id, expected_on_sort, id);
create index approvals_requested_on on approvals (customer_id, requested_on_sort, id);
create index approvals_submitted_on on approvals (customer_id, submitted_on) where submitted_on is not null;
create index approvals_decided_on on approvals (customer_id, decided_on) where decided_on is not null;
create index approvals_updated_at on approvals (customer_id, updated_at, id);
create index approvals_created_at on approvals (customer_id, created_at, id);
create index approvals_product_id on approvals (customer_id, product_id);
create index approvals_country_code on approvals (customer_id, country_code);
create index approvals_project_id on approvals (customer_id, project_id) where project_id is not null;
create index approvals_certificate_id on approvals (customer_id, certificate_id) where certificate_id is not null;`

/**
 * Before each row: derived columns, the stamps, and an update that changes nothing is dropped, so that it
 * makes no event and no ETag. Sort columns are set here and not GENERATED, because PostgreSQL computes
 * those only after this trigger, and the comparison would always find a difference.
 */
const beforeRow = (table: string, derived: string) => `
create function ${table}_before() returns trigger language plpgsql as $$
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
  new.updated_at := now();
  return new;
end $$;
create trigger ${table}_before before insert or update on ${table}
  for each row execute function ${table}_before();
alter table ${table} enable always trigger ${table}_before;`

const sortDate = (column: string) => `new.${column}_sort := coalesce(new.${column}, 'infinity');`

const derived: Record<string, string> = {
  certificates: ['valid_from', 'valid_until', 'issued_on'].map(sortDate).join(' '),
  // 'v' before every model and 'w' for none: null sorts last, whatever the model's text is.
  products: `new.model_sort := coalesce('v' || new.model, 'w');`,
  projects: ['ordered_on', 'due_on'].map(sortDate).join(' '),
  lab: sortDate('issued_on'),
  approvals: ['requested_on', 'expected_on'].map(sortDate).join(' '),
  countries: '',
}

const elementFields: Record<string, string[]> = {
  certificates: ['standards', 'tags'],
  products: ['part_numbers', 'tags'],
  projects: ['product_ids', 'country_codes', 'tags'],
  lab: ['standards', 'tags'],
  approvals: ['tags'],
}

/** After each statement: the elements of the rows it left, less those of the rows it took. */
const elementTriggers = (table: string, fields: string[]) => {
  const elementsOf = (rows: string) =>
    fields
      .map((f) => `select r.customer_id, '${f}' as field, v as value, r.id from ${rows} r, unnest(r.${f}) v`)
      .join(' union ')
  const removed = (gone: string) => `
    delete from elements e using (${gone}) g where e.customer_id = g.customer_id
      and e.resource = '${table}' and e.field = g.field and e.value = g.value and e.id = g.id;`
  const added = (fresh: string) => `
    insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, '${table}', n.field, n.value, n.id from (${fresh}) n on conflict do nothing;`
  const before = elementsOf('old_rows')
  const after = elementsOf('new_rows')
  const bodies = {
    insert: added(after),
    update: removed(`(${before}) except (${after})`) + added(`(${after}) except (${before})`),
    delete: removed(before),
  }
  const referencing = {
    insert: 'referencing new table as new_rows',
    update: 'referencing old table as old_rows new table as new_rows',
    delete: 'referencing old table as old_rows',
  }
  const statements = (['insert', 'update', 'delete'] as const).map(
    (event) => `
create function ${table}_elements_${event}() returns trigger language plpgsql as $$
begin ${bodies[event]}
  return null;
end $$;
create trigger ${table}_elements_${event} after ${event} on ${table} ${referencing[event]}
  for each statement execute function ${table}_elements_${event}();
alter table ${table} enable always trigger ${table}_elements_${event};`,
  )
  return `${statements.join('')}
create function ${table}_elements_truncate() returns trigger language plpgsql as $$
begin delete from elements where resource = '${table}'; return null; end $$;
create trigger ${table}_elements_truncate after truncate on ${table}
  for each statement execute function ${table}_elements_truncate();
alter table ${table} enable always trigger ${table}_elements_truncate;`
}

/**
 * Roles belong to the whole server: another database, or another migration running now, may have made
 * them already. `certdata_reader` serves requests and sees one customer; `certdata_operator` imports.
 */
const roles = `
do $$
declare wanted text;
begin
  foreach wanted in array array['certdata_reader', 'certdata_operator'] loop
    begin
      if not exists (select from pg_roles where rolname = wanted) then
        execute format('create role %I nologin', wanted);
      end if;
    exception when duplicate_object or unique_violation then null;
    end;
    begin
      if not exists (
        select from pg_auth_members m
        where m.roleid = (select oid from pg_roles where rolname = wanted)
          and m.member = (select oid from pg_roles where rolname = current_user)
          and not m.admin_option
      ) then
        execute format('grant %I to current_user', wanted);
      end if;
    exception when unique_violation then null;
    end;
  end loop;
end $$;`

const ownRows = `customer_id = nullif(current_setting('app.customer_id', true), '')`

const secured = (table: string, reader: string) => `
alter table ${table} enable row level security;
alter table ${table} force row level security;
create policy operator on ${table} for all to certdata_operator using (true) with check (true);
grant select, insert, update, delete on ${table} to certdata_operator;
${reader}`

const readable = (table: string) => `
create policy reader on ${table} for select to certdata_reader using (${ownRows});
grant select on ${table} to certdata_reader;`

/** Creates the record tables with their keys, checks, triggers, indexes, roles and policies. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const statements = [
    roles,
    tables,
    indexes,
    ...Object.entries(derived).map(([table, body]) => beforeRow(table, body)),
    ...Object.entries(elementFields).map(([table, fields]) => elementTriggers(table, fields)),
    secured('customers', ''),
    ...[...recordTables, 'elements'].map((table) => secured(table, readable(table))),
    `grant select on countries to certdata_reader;
     grant select, insert, update, delete on countries to certdata_operator;
     grant usage on schema public to certdata_reader, certdata_operator;`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
