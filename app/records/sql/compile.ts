import { createQueryId, PostgresQueryCompiler } from 'kysely'
import type { Sql } from './column.ts'

/** Compiles a statement for the driver. */
export const compile = (statement: Sql): { text: string; values: unknown[] } => {
  const { sql, parameters } = new PostgresQueryCompiler().compileQuery(
    statement.toOperationNode(),
    createQueryId(),
  )
  return { text: sql, values: [...parameters] }
}
