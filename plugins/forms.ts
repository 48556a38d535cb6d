import type { FastifyInstance, FastifyRequest } from 'fastify'

export const formType = 'application/x-www-form-urlencoded'

/** Refuses other bodies than forms with 415, in the context of `app`. */
export const acceptOnlyForms = (app: FastifyInstance, parse: (body: string) => unknown): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>(formType, { parseAs: 'string' }, async (_: FastifyRequest, body: string) =>
    parse(body),
  )
}
