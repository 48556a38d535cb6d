import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { z } from 'zod'

export type QueryGrammar<Query = unknown> = (query: never) => Query

/** zod cannot express the query grammar. */
const compileValidator: FastifySchemaCompiler<z.ZodType | QueryGrammar> = (route) => {
  const { schema } = route
  if (typeof schema !== 'function') return validatorCompiler({ ...route, schema })
  return (query) => ({ value: schema(query as never) })
}

/** Fastify's default compilers would need 3 MiB. */
export const schemaController = {
  compilersFactory: {
    buildValidator: () => compileValidator as never,
    buildSerializer: () => serializerCompiler as never,
  },
} satisfies FastifyServerOptions['schemaController']
