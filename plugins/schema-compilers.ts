import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { z } from 'zod'

/** A `querystring` schema. Throws `invalid_query` with every fault. */
export type QueryGrammar<Query = unknown> = (query: never) => Query

/** For zod schemas, and for the query grammar, which zod cannot express. */
const compileValidator: FastifySchemaCompiler<z.ZodType | QueryGrammar> = (route) => {
  const { schema } = route
  if (typeof schema !== 'function') return validatorCompiler({ ...route, schema })
  return (query) => ({ value: schema(query as never) })
}

/** Without these, Fastify loads its default schema compilers, which need 3 MiB. */
export const schemaController = {
  compilersFactory: {
    buildValidator: () => compileValidator as never,
    buildSerializer: () => serializerCompiler as never,
  },
} satisfies FastifyServerOptions['schemaController']
