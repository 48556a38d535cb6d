import { z } from 'zod'
import { timestamps } from '../../schemas/fields.ts'
import type { Field, Resource } from '../records/resources/define.ts'
import { describeIssue } from './issue.ts'

/** A record to be stored: every stored field has a value, never undefined. */
export type StoredRecord = Record<string, unknown>

/** Lists the fields that are imported: no computed ones, and no timestamps of the service. */
export const listStoredFields = (resource: Resource): Field[] =>
  [...resource.fields.values()].filter((field) => !field.computed && !(field.name in timestamps))

const complete = (schema: unknown, value: unknown): unknown => {
  if (schema instanceof z.ZodNullable) {
    return value === undefined || value === null ? null : complete(schema.unwrap(), value)
  }
  if (schema instanceof z.ZodArray) {
    const items = value ?? []
    return Array.isArray(items) ? items.map((item) => complete(schema.element, item ?? undefined)) : items
  }
  if (schema instanceof z.ZodObject) {
    const object = value ?? {}
    if (typeof object !== 'object' || Array.isArray(object)) return object
    const filled: Record<string, unknown> = { ...object }
    for (const [name, inner] of Object.entries(schema.shape)) filled[name] = complete(inner, filled[name])
    return filled
  }
  return value
}

const describeRecordIssue = (issue: z.core.$ZodIssue, record: StoredRecord): string => {
  const value = issue.path.reduce<unknown>(
    (inner, name) => (inner as StoredRecord | undefined)?.[name as string],
    record,
  )
  return describeIssue(issue, issue.path.join('.'), value)
}

export type RecordChecker = (line: Readonly<Record<string, unknown>>) => {
  record: StoredRecord
  faults: string[]
}

/** Returns a function that fills in missing fields and lists all faults. A forbidden null is missing, too. */
export const createRecordChecker = (resource: Resource): RecordChecker => {
  const { required, initial, sameAs } = resource.importing
  const fields = listStoredFields(resource)
  const schema = z.object(Object.fromEntries(fields.map((field) => [field.name, field.schema])))

  return (line) => {
    const record: StoredRecord = {}
    const missing = new Set<string>()
    for (const { name, nullable, schema } of fields) {
      const given = Object.hasOwn(line, name) ? line[name] : undefined
      const isMissing = given === undefined || (given === null && !nullable)
      if (isMissing && required.includes(name)) missing.add(name)
      record[name] = isMissing ? (initial[name] ?? complete(schema, undefined)) : complete(schema, given)
    }
    for (const [name, other] of Object.entries(sameAs)) record[name] ??= record[other]
    const issues = schema.safeParse(record).error?.issues ?? []
    const sources = (name: PropertyKey | undefined) => sameAs[String(name)] ?? String(name)
    const faults = issues
      .filter((issue) => !missing.has(sources(issue.path[0])))
      .map((issue) => describeRecordIssue(issue, record))
    return { record, faults: [...[...missing].map((name) => `${name}: required`), ...faults] }
  }
}
