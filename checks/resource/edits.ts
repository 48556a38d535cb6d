const definition = `import { factoryInspection } from '../../../schemas/factory_inspections.ts'
import { defineResource } from './define.ts'

declare module './define.ts' {
  interface ResourceNames {
    factory_inspections: true
  }
}

export const factory_inspections = defineResource({
  name: 'factory_inspections',
  rank: 7,
  version: 1,
  noun: 'factory inspection',
  contents: 'Visits of factories, and the faults found there',
  schema: factoryInspection,
  includes: { product: { resource: 'products', by: 'product_id' } },
  filters: {
    id: 'equal',
    inspection_number: 'prefix',
    status: 'equal',
    product_id: 'equal',
    inspected_on: 'range',
    is_open: 'equal',
    tags: 'equal',
    updated_at: 'range',
    created_at: 'range',
  },
  sorts: ['inspection_number', 'inspected_on', 'updated_at', 'created_at', 'id'],
  defaultSort: 'inspection_number',
  computed: {
    is_open: {
      select: "(r.status = 'planned')",
      where: { true: "r.status = 'planned'", false: "r.status <> 'planned'" },
    },
  },
  computedForDay: false,
  elements: ['tags'],
  search: ['inspection_number', 'inspector'],
  reads: ['factory_inspections'],
  importing: {
    required: ['id', 'inspection_number'],
    initial: { status: 'planned', faults: 0 },
    sameAs: {},
    expectedTransitions: { status: { planned: ['passed', 'failed'] } },
  },
})
`

const schema = `import { z } from 'zod'
import { date, field, identity, recordId, tags, text, timestamps } from './fields.ts'

export const factoryInspection = z
  .strictObject({
    ...identity('ins-1001', 'ins-1002'),
    inspection_number: field(text, 'Number of the inspection', 'INS-1001', 'INS-1002'),
    status: field(z.enum(['planned', 'passed', 'failed']), 'State of the inspection', 'passed'),
    product_id: field(recordId.nullable(), 'The inspected product', 'prd-lumen-gateway'),
    inspected_on: field(date.nullable(), 'Day of the inspection', '2026-03-02'),
    faults: field(z.int().min(0).max(32767), 'Number of faults', 0),
    is_open: field(z.boolean(), 'Computed: whether the inspection is still to come', false),
    inspector: field(text.nullable(), 'Name of the inspector', 'A. Example'),
    tags: tags('annual'),
    ...timestamps,
  })
  .meta({ id: 'FactoryInspection', description: 'An inspection of the factory of a product' })
`

const table = `create table factory_inspections (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._~-]{1,64}$' and id !~ '^[.]+$'),
  inspection_number text collate "C" not null check (octet_length(inspection_number) <= 2000),
  status text collate "C" not null check (status in ('planned', 'passed', 'failed')) default 'planned',
  product_id text collate "C",
  inspected_on calendar_date,
  inspected_on_sort date not null,
  faults integer not null default 0,
  inspector text collate "C",
  tags text[] collate "C" not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  created_xid xid8,
  primary key (customer_id, id),
  constraint factory_inspections_tags_list check (is_list(tags))
);
create index factory_inspections_number on factory_inspections (customer_id, inspection_number, id);
create index factory_inspections_inspected_on on factory_inspections (customer_id, inspected_on_sort, id);
create index factory_inspections_updated_at on factory_inspections (customer_id, updated_at, id);
create index factory_inspections_created_at on factory_inspections (customer_id, created_at, id);
create index factory_inspections_product_id on factory_inspections (customer_id, product_id) where product_id is not null;

select pg_temp.add_record_table('factory_inspections', array['tags'], 'r.inspection_number, r.inspector');
`

/** The three new files of a resource, by path. No other file changes. */
export const edits: Readonly<Record<string, string>> = {
  'app/records/resources/factory_inspections.ts': definition,
  'schemas/factory_inspections.ts': schema,
  'app/db/migrations/0002-factory-inspections.sql': table,
}
