import { createQueryId, PostgresQueryCompiler } from 'kysely'
import pg from 'pg'
import type { Sql } from './column.ts'

const quoteElement = (element: unknown): string => {
  if (typeof element !== 'string') throw new TypeError(`no literal of an array with a ${typeof element}`)
  return `"${element.replace(/[\\"]/g, '\\$&')}"`
}

/**
 * A value as a literal of unknown type, which PostgreSQL reads just as it reads a parameter sent as text. Throws
 * on what this service does not bind.
 */
export const toLiteral = (value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(quoteElement).join(',')}}`)
  if (typeof value === 'string') return pg.escapeLiteral(value)
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return pg.escapeLiteral(String(value))
  throw new TypeError(`no literal of a ${typeof value}`)
}

class LiteralCompiler extends PostgresQueryCompiler {
  protected override appendValue(value: unknown): void {
    this.append(toLiteral(value))
  }
}

const compileWith = (compiler: PostgresQueryCompiler, statement: Sql) =>
  compiler.compileQuery(statement.toOperationNode(), createQueryId())

/** The statement with its values written out: `COPY` takes no parameters. */
export const compileLiterally = (statement: Sql): string => compileWith(new LiteralCompiler(), statement).sql

/** The statement and its parameters, as the driver takes them. */
export const compile = (statement: Sql): { text: string; values: unknown[] } => {
  const { sql, parameters } = compileWith(new PostgresQueryCompiler(), statement)
  return { text: sql, values: [...parameters] }
}
