import type { z } from 'zod'
import { recordId } from '../../schemas/fields.ts'
import { JsonError, parseUniqueJson } from '../http/unique-json.ts'
import { customerName, customerSlug } from '../identity/customers.ts'
import { demoCustomerId } from '../identity/principal.ts'
import type { Resource, ResourceName } from '../records/resources/define.ts'
import { resourceNames, resources } from '../records/resources/index.ts'
import { listUnseen, trimTexts } from './blanks.ts'
import { describeIssue, describeType } from './issue.ts'
import { derivePeriods } from './periods.ts'
import { quoteText } from './quote.ts'
import { createRecordChecker, type RecordChecker, type StoredRecord } from './record.ts'

type RecordKey = { resource: ResourceName; customer: string; id: string }

export type ParsedLine = {
  line: number
  key: RecordKey
  customerName: string
  record: StoredRecord
  warnings: string[]
  /** Texts that `trim` changed. */
  trimmed: number
}

/** `column` and `faults`: see `LineNote`. `key`: `undefined` if the customer or the id is invalid. */
export type BadLine = {
  line: number
  reason: string
  column?: number
  faults?: readonly string[]
  key?: RecordKey
}

export type LineOptions = {
  /** Of lines that name none. Lines that name another one are bad. */
  customer?: string | undefined
  allowDemo?: boolean
  /** Remove blanks and zero-width characters at the ends of texts. Otherwise they are warned of. */
  trim?: boolean
}

/** The members of a line that are no fields of a record. */
export const envelope = ['resource', 'customer', 'customer_name']

const checkers = new Map<ResourceName, RecordChecker>(
  resourceNames.map((name) => [name, createRecordChecker(resources[name])]),
)
const derivations: Partial<Record<ResourceName, (record: StoredRecord) => string[]>> = {
  certificates: derivePeriods,
}

const longestReason = 1000
const shorten = (value: string, length: number) =>
  value.length > length ? `${value.slice(0, length)}…` : value

type Unreadable = { reason: string; column?: number }

const parseObject = (json: string): { object: Record<string, unknown> } | Unreadable => {
  try {
    const value = parseUniqueJson(json)
    if (describeType(value) !== 'an object')
      return { reason: `not a JSON object; found ${describeType(value)}` }
    return { object: value as Record<string, unknown> }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return { reason: `not JSON: ${error.message}`, column: error.position + 1 }
  }
}

/** Returns the resource of a line. `undefined` if it has no known name. */
export const findResource = (name: unknown): Resource | undefined =>
  resourceNames.some((known) => known === name) ? resources[name as ResourceName] : undefined

const checkValue = (schema: z.ZodType, name: string, value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map((issue) => describeIssue(issue, name, value)) ?? []

const checkCustomer = (line: Record<string, unknown>, resource: Resource, options: LineOptions) => {
  const given = line.customer ?? undefined
  const named = line.customer_name ?? undefined
  if (resource.reference) {
    const faults = (given ?? named) ? [`customer: ${resource.name} belong to no customer`] : []
    return { customer: '', name: '', faults }
  }
  const customer = given ?? options.customer
  if (customer === undefined) return { customer: '', name: '', faults: ['customer: required'] }
  const faults = checkValue(customerSlug, 'customer', customer)
  if (options.customer !== undefined && customer !== options.customer) {
    faults.push(`customer: this import is for ${options.customer} only`)
  }
  if (customer === demoCustomerId && !options.allowDemo) {
    faults.push(`customer: ${demoCustomerId} is the customer of the example data, which accepts no import`)
  }
  const name = named ?? customer
  if (named !== undefined) faults.push(...checkValue(customerName, 'customer_name', named))
  return { customer: String(customer), name: String(name), faults }
}

/** `faults` and `warnings` of the cells. `describe` completes each of these, and those of the fields. */
type Cells = Readonly<{
  faults: readonly string[]
  warnings: readonly string[]
  describe: (note: string) => string
}>

const noCells: Cells = { faults: [], warnings: [], describe: (note) => note }

/** A value that could not be read is not missing. */
const missing = ': required'

/** Checks a line and fills in missing fields. Lists all faults, also of the `cells` of a table, or only an unknown resource. */
export const checkLine = (
  number: number,
  given: Readonly<Record<string, unknown>>,
  options: LineOptions,
  cells: Cells = noCells,
): ParsedLine | BadLine => {
  const { value, count: trimmed } = options.trim ? trimTexts(given) : { value: given, count: 0 }
  const line = value as Readonly<Record<string, unknown>>
  const resource = findResource(line.resource)
  if (!resource) return { line: number, reason: `resource: expected one of ${resourceNames.join(', ')}` }
  const { customer, name, faults } = checkCustomer(line, resource, options)
  const hasKey = faults.length === 0
  faults.push(...cells.faults)
  for (const field of Object.keys(line)) {
    if (!resource.fields.has(field) && !envelope.includes(field))
      faults.push(`unknown field ${quoteText(field)}`)
  }
  const checked = (checkers.get(resource.name) as RecordChecker)(line)
  const isReported = (fault: string) =>
    fault.endsWith(missing) &&
    cells.faults.some((each) => each.startsWith(`${fault.slice(0, -missing.length)}:`))
  faults.push(...checked.faults.filter((fault) => !isReported(fault)))
  const id = checked.record.id as string
  const key: RecordKey = { resource: resource.name, customer, id }
  if (faults.length > 0) {
    const described = faults.map(cells.describe)
    const reason = shorten(described.join('; '), longestReason)
    const bad = { line: number, reason, faults: described }
    return hasKey && recordId.safeParse(id).success ? { ...bad, key } : bad
  }
  const { record } = checked
  const warnings = [
    ...(derivations[resource.name]?.(record) ?? []),
    ...listUnseen(record),
    ...cells.warnings,
  ].map(cells.describe)
  return { line: number, key, customerName: name, record, warnings, trimmed }
}

/** Parses a line of JSON and checks it with `checkLine`. */
export const parseLine = (number: number, json: string, options: LineOptions): ParsedLine | BadLine => {
  const parsed = parseObject(json)
  return 'reason' in parsed ? { line: number, ...parsed } : checkLine(number, parsed.object, options)
}
