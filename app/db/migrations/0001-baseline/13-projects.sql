create table projects (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._~-]{1,64}$' and id !~ '^[.]+$'),
  project_number text collate "C" not null check (octet_length(project_number) <= 2000),
  customer_reference text collate "C",
  title text collate "C" not null,
  status text collate "C" not null
    check (status in ('draft', 'quoted', 'ordered', 'in_progress', 'on_hold', 'completed', 'cancelled',
      'declined')) default 'draft',
  classification text collate "C"
    check (classification in ('new_certification', 'renewal', 'modification', 'variant', 'extension',
      'transfer', 'pre_compliance', 'testing', 'consulting')),
  product_ids text[] collate "C" not null default '{}',
  country_codes text[] collate "C" not null default '{}',
  ordered_on calendar_date,
  ordered_on_sort date not null,
  due_on calendar_date,
  due_on_sort date not null,
  completed_on calendar_date,
  tags text[] collate "C" not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  created_xid xid8,
  primary key (customer_id, id),
  constraint projects_product_ids_list check (is_list(product_ids)),
  constraint projects_country_codes_list check (is_list(country_codes)),
  constraint projects_tags_list check (is_list(tags))
);
create index projects_project_number on projects (customer_id, project_number, id);
create index projects_due_on on projects (customer_id, due_on_sort, id);
create index projects_ordered_on on projects (customer_id, ordered_on_sort, id);
create index projects_completed_on on projects (customer_id, completed_on) where completed_on is not null;
create index projects_updated_at on projects (customer_id, updated_at, id);
create index projects_created_at on projects (customer_id, created_at, id);

select pg_temp.add_record_table('projects', array['product_ids', 'country_codes', 'tags'],
  'r.project_number, r.customer_reference, r.title');
