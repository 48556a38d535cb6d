import type { Resource } from '../../app/records/resources/define.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'

/**
 * The contract, sections 2 and 3, as tables. Nothing in a row is derived from `app/`, so that tests find differences. A
 * resource without a row is tested as its definition describes it.
 */

export type Kind = 'text' | 'date' | 'instant' | 'integer' | 'boolean' | 'json'
export type FieldSpec = { name: string; kind: Kind; array: boolean; nullable: boolean; values?: string[] }
export type FilterSpec = { name: string; range: boolean; prefix: boolean }
export type ResourceSpec = {
  name: string
  fields: FieldSpec[]
  filters: FilterSpec[]
  sorts: string[]
  defaultSort: string
  /** Fields that `q` searches. */
  search: string[]
  /** By name of the include. `by`: the field with the id. */
  includes: Record<string, { resource: string; by: string }>
  /** Not stored. */
  computed: string[]
  reference: boolean
}

const enums: Record<string, string> = {
  certificate_type:
    'type_approval declaration_of_conformity certificate_of_conformity registration safety_certificate module_approval other',
  approval_status: 'pending approved conditional rejected suspended revoked withdrawn superseded',
  validity: 'not_yet_valid valid expired void',
  product_status: 'draft in_development active phase_out discontinued',
  technologies: 'wifi bluetooth cellular nfc uwb srd gnss radar lpwan satellite wireless_power',
  'projects.status': 'draft quoted ordered in_progress on_hold completed cancelled declined',
  classification:
    'new_certification renewal modification variant extension transfer pre_compliance testing consulting',
  region: 'europe americas asia_pacific middle_east_africa cis',
  confidence: 'high medium low',
  test_type: 'radio emc safety sar environmental protocol cybersecurity energy',
  'lab.status': 'planned in_testing draft issued superseded withdrawn cancelled',
  result: 'pass fail pass_with_deviation inconclusive',
  'approvals.status':
    'planned preparing testing submitted in_review information_requested on_hold granted rejected cancelled not_required',
  phase: 'initial renewal modification',
}

/** `name:kind` with `?` for nullable and `[]` for an array. The kind defaults to text. */
const parseFields = (resource: string, text: string): FieldSpec[] =>
  text.split(/\s+/).map((part) => {
    const [, name = '', kind = 'text', mark = ''] = /^(\w+)(?::(\w+))?(\?|\[\])?$/.exec(part) ?? []
    const values = (enums[`${resource}.${name}`] ?? enums[name])?.split(' ')
    const spec: FieldSpec = { name, kind: kind as Kind, array: mark === '[]', nullable: mark === '?' }
    return values ? { ...spec, values } : spec
  })

/** Notation of the contract: ^ also ranges, ~ also prefix. */
const parseFilters = (text: string): FilterSpec[] =>
  text.split(' ').map((part) => ({
    name: part.replace(/[\^~]$/, ''),
    range: part.endsWith('^'),
    prefix: part.endsWith('~'),
  }))

type Row = [fields: string, filters: string, sorts: string, defaultSort: string, computed: string]

const stamps = 'created_at:instant updated_at:instant'

const rows: Record<string, Row> = {
  certificates: [
    `id number title product_id? project_id? approval_id? supersedes_id? country_code? authority? scheme?
    certificate_type? approval_status validity expiring:boolean days_remaining:integer? valid_from:date?
    valid_until:date? validity_periods:json issued_on:date? holder? standards[] tags[] source_url? ${stamps}`,
    'id number~ product_id project_id approval_id country_code authority scheme certificate_type approval_status validity expiring valid_from^ valid_until^ issued_on^ tags standards updated_at^ created_at^',
    'valid_until valid_from issued_on number updated_at created_at id',
    '-created_at',
    'validity expiring days_remaining',
  ],
  products: [
    `id name part_numbers[] model? brand? manufacturer? product_status category? technologies[]
    hardware_version? software_version? parent_product_id? tags[] ${stamps}`,
    'id name~ part_numbers model~ brand product_status category technologies parent_product_id tags updated_at^ created_at^',
    'name model updated_at created_at id',
    'name',
    '',
  ],
  projects: [
    `id project_number customer_reference? title status classification? product_ids[] country_codes[]
    ordered_on:date? due_on:date? completed_on:date? tags[] ${stamps}`,
    'id project_number~ customer_reference status classification product_ids country_codes tags ordered_on^ due_on^ completed_on^ updated_at^ created_at^',
    'project_number due_on ordered_on updated_at created_at id',
    '-created_at',
    '',
  ],
  countries: [
    `id code alpha3 name region blocs[] authorities:json requirements:json approval_info:json sources[]
    confidence reviewed_on:date? ${stamps}`,
    'id code alpha3 name~ region blocs updated_at^',
    'code name region id',
    'code',
    'approval_info',
  ],
  lab: [
    `id report_number title test_type? standards[] status result? laboratory? laboratory_country_code?
    product_id? project_id? certificate_id? supersedes_id? tested_from:date? tested_until:date?
    issued_on:date? revision:integer document_url? tags[] ${stamps}`,
    'id report_number~ product_id project_id certificate_id test_type status result standards laboratory issued_on^ tags updated_at^ created_at^',
    'issued_on report_number updated_at created_at id',
    '-created_at',
    '',
  ],
  approvals: [
    `id product_id country_code scheme project_id? certificate_id? status phase? open:boolean
    requested_on:date? submitted_on:date? decided_on:date? expected_on:date? tags[] ${stamps}`,
    'id product_id country_code scheme project_id certificate_id status open requested_on^ submitted_on^ decided_on^ expected_on^ tags updated_at^ created_at^',
    'expected_on requested_on updated_at created_at id',
    '-created_at',
    'open',
  ],
}

const product = { resource: 'products', by: 'product_id' }
const country = { resource: 'countries', by: 'country_code' }
const certificate = { resource: 'certificates', by: 'certificate_id' }
const includes: Record<string, ResourceSpec['includes']> = {
  certificates: { product, project: { resource: 'projects', by: 'project_id' }, country },
  lab: { product, certificate },
  approvals: { product, country, certificate },
}

const search: Record<string, string> = {
  certificates: 'number title holder',
  products: 'name part_numbers model brand manufacturer',
  projects: 'project_number customer_reference title',
  countries: 'code alpha3 name authorities',
  lab: 'report_number title laboratory',
  approvals: 'scheme product_id certificate_id',
}

const parseRow = (name: string, [fields, filters, sorts, defaultSort, computed]: Row): ResourceSpec => ({
  name,
  fields: parseFields(name, fields),
  filters: parseFilters(filters),
  sorts: sorts.split(' '),
  defaultSort,
  search: (search[name] as string).split(' '),
  includes: includes[name] ?? {},
  computed: computed === '' ? [] : computed.split(' '),
  reference: name === 'countries',
})

const toSpec = (resource: Resource): ResourceSpec => {
  const fields = [...resource.fields.values()]
  return {
    name: resource.name,
    fields: fields.map(({ name, kind, array, nullable, values }) => {
      const spec = { name, kind, array, nullable }
      return values ? { ...spec, values: [...values] } : spec
    }),
    filters: fields.flatMap(({ name, filter }) =>
      filter ? [{ name, range: filter === 'range', prefix: filter === 'prefix' }] : [],
    ),
    sorts: [...resource.sorts],
    defaultSort: resource.defaultSort,
    search: [...resource.search],
    includes: resource.includes,
    computed: Object.keys(resource.computed),
    reference: resource.reference === true,
  }
}

/** The names of the rows, in the order of the contract. */
export const namesOfRows = Object.keys(rows)

export const contract: readonly ResourceSpec[] = resourceNames.map((name) => {
  const row = rows[name]
  return row ? parseRow(name, row) : toSpec(resources[name])
})

export const getSpec = (name: string): ResourceSpec =>
  contract.find((each) => each.name === name) as ResourceSpec

export const getField = (spec: ResourceSpec, name: string): FieldSpec =>
  spec.fields.find((field) => field.name === name) as FieldSpec

/** `''` is the bare `=`. */
export const operatorsFor = (spec: ResourceSpec, { name, range, prefix }: FilterSpec): string[] => {
  if (getField(spec, name).array) return ['', 'eq', 'ne', 'in', 'nin', 'all']
  const operators = ['', 'eq', 'ne', 'in', 'nin']
  if (range) operators.push('gt', 'gte', 'lt', 'lte')
  if (prefix) operators.push('prefix')
  if (!spec.computed.includes(name)) operators.push('null')
  return operators
}
