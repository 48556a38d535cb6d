-- Answers have the attributes in this order.
create type validity_period as ("from" calendar_date, until calendar_date, basis text);

create table certificates (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._~-]{1,64}$' and id !~ '^[.]+$'),
  number text collate "C" not null check (octet_length(number) <= 2000),
  title text collate "C" not null,
  product_id text collate "C",
  project_id text collate "C",
  approval_id text collate "C",
  supersedes_id text collate "C",
  country_code text collate "C",
  authority text collate "C",
  scheme text collate "C",
  certificate_type text collate "C"
    check (certificate_type in ('type_approval', 'declaration_of_conformity', 'certificate_of_conformity',
      'registration', 'safety_certificate', 'module_approval', 'other')),
  approval_status text collate "C" not null
    check (approval_status in ('pending', 'approved', 'conditional', 'rejected', 'suspended', 'revoked',
      'withdrawn', 'superseded')),
  valid_from calendar_date,
  valid_until calendar_date,
  valid_from_sort date not null,
  valid_until_sort date not null,
  validity_periods validity_period[] not null default '{}',
  issued_on calendar_date,
  issued_on_sort date not null,
  holder text collate "C",
  standards text[] collate "C" not null default '{}',
  tags text[] collate "C" not null default '{}',
  source_url text collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  created_xid xid8,
  primary key (customer_id, id),
  constraint certificates_standards_list check (is_list(standards)),
  constraint certificates_tags_list check (is_list(tags))
);
create index certificates_number on certificates (customer_id, number, id);
create index certificates_valid_from on certificates (customer_id, valid_from_sort, id);
create index certificates_issued_on on certificates (customer_id, issued_on_sort, id);
create index certificates_updated_at on certificates (customer_id, updated_at, id);
create index certificates_created_at on certificates (customer_id, created_at, id);
create index certificates_product_id on certificates (customer_id, product_id) where product_id is not null;
create index certificates_project_id on certificates (customer_id, project_id) where project_id is not null;
create index certificates_approval_id on certificates (customer_id, approval_id) where approval_id is not null;
create index certificates_country_code on certificates (customer_id, country_code) where country_code is not null;
-- Filters on validity select these. Most certificates are approved.
create index certificates_not_standing on certificates (customer_id, approval_status)
  where approval_status in ('pending', 'rejected', 'suspended', 'revoked', 'withdrawn', 'superseded');
-- Covers counts of valid certificates.
create index certificates_valid_until on certificates (customer_id, valid_until_sort, id)
  include (approval_status, valid_from_sort);

select pg_temp.add_record_table('certificates', array['standards', 'tags'], 'r.number, r.title, r.holder');
