import { addDays, type ExampleLine } from './calendar.ts'

/** Days relative to the day of the data; null = not set. */
type Dates = { ordered: number | null; due: number | null; completed: number | null }
type Project = {
  id: string
  title: string
  status: string
  classification: string | null
  products: string[]
  countries: string[]
  dates: Dates
  reference: string | null
  tags: string[]
}

const lumen = 'prd-lumen-gateway'
const project = (
  id: string,
  title: string,
  state: [status: string, classification: string | null],
  products: string[],
  countries: string[],
  [ordered, due, completed]: [number | null, number | null, number | null],
  reference: string | null,
  ...tags: string[]
): Project => {
  const [status, classification] = state
  const dates = { ordered, due, completed }
  return { id, title, status, classification, products, countries, dates, reference, tags }
}

const americas = ['US', 'CA', 'BR', 'MX']
const elsewhere = ['DE', 'GB', 'CH', 'JP', 'KR', 'SG', 'CN', 'TW', 'AE', 'KW']

const projects: Project[] = [
  project(
    'prj-1001',
    'Lumen Gateway: Americas',
    ['completed', 'new_certification'],
    [lumen],
    americas,
    [-820, -520, -540],
    'PO-4500011873',
    'flagship',
    'strategic',
  ),
  project(
    'prj-1002',
    'Lumen Gateway: Europe, Asia, Gulf',
    ['completed', null],
    [lumen],
    elsewhere,
    [-800, -480, -465],
    'PO-4500011874',
    'flagship',
  ),
  project(
    'prj-1003',
    'Lumen Gateway LTE: variant with cellular modem',
    ['in_progress', 'variant'],
    ['prd-lumen-gateway-lte'],
    ['US', 'CA', 'DE', 'JP', 'BR', 'CN', 'IN', 'MX'],
    [-210, 80, null],
    'PO-4500013020',
    'flagship',
  ),
  project(
    'prj-1004',
    'Renewals of the year',
    ['in_progress', 'renewal'],
    [lumen, 'prd-tracker-mini'],
    ['AE', 'KW', 'BR', 'ID'],
    [-75, 60, null],
    'PO-4500013391',
    'renewal',
  ),
  project(
    'prj-1005',
    'SmartLock: software 2.0, permissive change',
    ['on_hold', 'modification'],
    ['prd-smartlock'],
    ['US', 'CA', 'TW', 'KR'],
    [-140, 30, null],
    null,
    'waiting-for-samples',
  ),
  project(
    'prj-1006',
    'LevelSense: pre-compliance at 60 GHz',
    ['ordered', 'pre_compliance'],
    ['prd-levelsense'],
    ['DE', 'US', 'JP', 'KR'],
    [-12, 110, null],
    'PO-4500013702',
    'industrial',
  ),
  project(
    'prj-1007',
    'MeterNode: extension to the Gulf',
    ['quoted', 'extension'],
    ['prd-meternode'],
    ['SA', 'AE', 'QA', 'OM'],
    [null, 180, null],
    null,
  ),
  project(
    'prj-1008',
    'Transfer of the ANATEL certificates to the new holder',
    ['draft', 'transfer'],
    [lumen, 'prd-tracker-mini', 'prd-wifi-module'],
    ['BR'],
    [null, null, null],
    null,
  ),
  project(
    'prj-1009',
    'ChargePad: radiated emissions',
    ['cancelled', 'testing'],
    ['prd-chargepad'],
    ['JP', 'KR'],
    [-400, -250, null],
    'PO-4500012204',
  ),
  project(
    'prj-1010',
    'Regulatory watch for satellite terminals',
    ['declined', 'consulting'],
    [],
    [],
    [null, null, null],
    null,
    'unannounced',
  ),
]

/** The project a certificate or an approval came from; null where it is older than the records. */
export const findProject = (product: string, country: string): string | null => {
  const isRenewal = product === 'prd-tracker-mini' || country === 'AE' || country === 'KW'
  const renewal = projects.find((each) => each.classification === 'renewal')
  const covers = (each: Project) => each.products.includes(product) && each.countries.includes(country)
  if (isRenewal && renewal && covers(renewal)) return renewal.id
  return projects.find((each) => each.dates.ordered !== null && covers(each))?.id ?? null
}

/** Import lines of all projects as of a day. */
export const listProjects = (day: string): ExampleLine[] => {
  const at = (days: number | null) => (days === null ? null : addDays(day, days))
  return projects.map(
    ({ id, title, status, classification, products, countries, dates, reference, tags }) => ({
      resource: 'projects',
      id,
      project_number: id.replace('prj-', 'EXD-'),
      customer_reference: reference,
      title,
      status,
      classification,
      product_ids: products,
      country_codes: countries,
      ordered_on: at(dates.ordered),
      due_on: at(dates.due),
      completed_on: at(dates.completed),
      tags,
    }),
  )
}
