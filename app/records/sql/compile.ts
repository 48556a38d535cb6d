import { createQueryId, PostgresQueryCompiler } from 'kysely'
import type { Sql } from './column.ts'

/** The statement and its parameters, as the driver takes them. */
export const compile = (statement: Sql): { text: string; values: unknown[] } => {
  const { sql, parameters } = new PostgresQueryCompiler().compileQuery(
    statement.toOperationNode(),
    createQueryId(),
  )
  return { text: sql, values: [...parameters] }
}
