import { createQueryId, PostgresQueryCompiler, type RawBuilder } from 'kysely'

/** Compiles a statement for the driver. */
export const compile = (statement: RawBuilder<unknown>): { text: string; values: unknown[] } => {
  const { sql, parameters } = new PostgresQueryCompiler().compileQuery(
    statement.toOperationNode(),
    createQueryId(),
  )
  return { text: sql, values: [...parameters] }
}
