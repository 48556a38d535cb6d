create table products (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._~-]{1,64}$' and id !~ '^[.]+$'),
  name text collate "C" not null check (octet_length(name) <= 2000),
  part_numbers text[] collate "C" not null default '{}',
  model text collate "C" check (octet_length(model) <= 2000),
  model_sort text collate "C" not null,
  brand text collate "C",
  manufacturer text collate "C",
  product_status text collate "C" not null
    check (product_status in ('draft', 'in_development', 'active', 'phase_out', 'discontinued')) default
      'active',
  category text collate "C",
  technologies text[] collate "C" not null default '{}' check (technologies <@ array['wifi', 'bluetooth',
    'cellular', 'nfc', 'uwb', 'srd', 'gnss', 'radar', 'lpwan', 'satellite', 'wireless_power']),
  hardware_version text collate "C",
  software_version text collate "C",
  parent_product_id text collate "C",
  tags text[] collate "C" not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  created_xid xid8,
  primary key (customer_id, id),
  constraint products_part_numbers_list check (is_list(part_numbers)),
  constraint products_technologies_list check (is_list(technologies)),
  constraint products_tags_list check (is_list(tags))
);
create index products_name on products (customer_id, name, id);
create index products_model on products (customer_id, model_sort, id);
create index products_updated_at on products (customer_id, updated_at, id);
create index products_created_at on products (customer_id, created_at, id);
create index products_parent on products (customer_id, parent_product_id) where parent_product_id is not null;
create index products_product_status on products (customer_id, product_status);

select pg_temp.add_record_table('products', array['part_numbers', 'tags'],
  'r.name, array_to_string(r.part_numbers, '' ''), r.model, r.brand, r.manufacturer');
