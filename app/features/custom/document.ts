import { z } from 'zod'
import { resourceNames } from '../../records/resources/index.ts'

/** Limits the cost of a response. Stored documents are checked again, so a lower bound may disable them. */
export const bounds = {
  documentBytes: 65_536,
  sources: 8,
  joins: 3,
  depth: 3,
  members: 100,
  pageRows: 500,
  /** Rows of a to-many join, or of a list within an object. */
  listRows: 50,
  groups: 500,
  params: 20,
  choices: 200,
  texts: 2000,
} as const

export const text = z.string().max(bounds.texts)
export const scalar = z.union(
  [text, z.number(), z.boolean(), z.null()],
  'expected a text, a number, true, false or null',
)
/** An object whose members are checked one by one, so that each fault has its whole path. */
export const nested = z.record(z.string(), z.unknown())
export const resourceName = z.enum(resourceNames)
/** PostgreSQL limits the name of a column to 63 bytes. */
export const memberName = z
  .string()
  .regex(/^[\p{L}_][\p{L}\p{N}_-]*$/u, 'expected letters, digits, _ and -, not beginning with a digit')
  .refine((name) => Buffer.byteLength(name) <= 63, 'expected at most 63 bytes')

/** The schema of a number of rows. */
export const count = (most: number) => z.int().min(1).max(most)

/** False for arrays and null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const testOperators = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'prefix', 'null'] as const
export type TestOperator = (typeof testOperators)[number]
