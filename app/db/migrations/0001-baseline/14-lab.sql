create table lab (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._~-]{1,64}$' and id !~ '^[.]+$'),
  report_number text collate "C" not null check (octet_length(report_number) <= 2000),
  title text collate "C" not null,
  test_type text collate "C"
    check (test_type in ('radio', 'emc', 'safety', 'sar', 'environmental', 'protocol', 'cybersecurity',
      'energy')),
  standards text[] collate "C" not null default '{}',
  status text collate "C" not null
    check (status in ('planned', 'in_testing', 'draft', 'issued', 'superseded', 'withdrawn', 'cancelled')),
  result text collate "C" check (result in ('pass', 'fail', 'pass_with_deviation', 'inconclusive')),
  laboratory text collate "C",
  laboratory_country_code text collate "C",
  product_id text collate "C",
  project_id text collate "C",
  certificate_id text collate "C",
  supersedes_id text collate "C",
  tested_from calendar_date,
  tested_until calendar_date,
  issued_on calendar_date,
  issued_on_sort date not null,
  revision integer not null default 1,
  document_url text collate "C",
  tags text[] collate "C" not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  created_xid xid8,
  primary key (customer_id, id),
  constraint lab_standards_list check (is_list(standards)),
  constraint lab_tags_list check (is_list(tags))
);
create index lab_issued_on on lab (customer_id, issued_on_sort, id);
create index lab_report_number on lab (customer_id, report_number, id);
create index lab_updated_at on lab (customer_id, updated_at, id);
create index lab_created_at on lab (customer_id, created_at, id);
create index lab_product_id on lab (customer_id, product_id) where product_id is not null;
create index lab_project_id on lab (customer_id, project_id) where project_id is not null;
create index lab_certificate_id on lab (customer_id, certificate_id) where certificate_id is not null;

select pg_temp.add_record_table('lab', array['standards', 'tags'], 'r.report_number, r.title, r.laboratory');
