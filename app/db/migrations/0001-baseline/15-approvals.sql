create table approvals (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._~-]{1,64}$' and id !~ '^[.]+$'),
  product_id text collate "C" not null,
  country_code text collate "C" not null,
  scheme text collate "C" not null,
  project_id text collate "C",
  certificate_id text collate "C",
  status text collate "C" not null
    check (status in ('planned', 'preparing', 'testing', 'submitted', 'in_review', 'information_requested',
      'on_hold', 'granted', 'rejected', 'cancelled', 'not_required')) default 'planned',
  phase text collate "C" check (phase in ('initial', 'renewal', 'modification')),
  requested_on calendar_date,
  requested_on_sort date not null,
  submitted_on calendar_date,
  decided_on calendar_date,
  expected_on calendar_date,
  expected_on_sort date not null,
  tags text[] collate "C" not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  created_xid xid8,
  primary key (customer_id, id),
  constraint approvals_tags_list check (is_list(tags))
);
create index approvals_expected_on on approvals (customer_id, expected_on_sort, id);
create index approvals_requested_on on approvals (customer_id, requested_on_sort, id);
create index approvals_submitted_on on approvals (customer_id, submitted_on) where submitted_on is not null;
create index approvals_decided_on on approvals (customer_id, decided_on) where decided_on is not null;
create index approvals_updated_at on approvals (customer_id, updated_at, id);
create index approvals_created_at on approvals (customer_id, created_at, id);
create index approvals_product_id on approvals (customer_id, product_id);
create index approvals_country_code on approvals (customer_id, country_code);
create index approvals_project_id on approvals (customer_id, project_id) where project_id is not null;
create index approvals_certificate_id on approvals (customer_id, certificate_id) where certificate_id is not null;
create index approvals_status on approvals (customer_id, status);

select pg_temp.add_record_table('approvals', array['tags'], 'r.scheme, r.product_id, r.certificate_id');
