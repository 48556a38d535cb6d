import Fastify from 'fastify'
import fp from 'fastify-plugin'
import { createRepresentation } from '../app/cache/entry.ts'
import type { Representation } from '../app/http/encodings.ts'
import { referenceScript } from '../app/site/docs-page.ts'
import { immutable } from './pages.ts'
import { schemaController } from './schema-compilers.ts'

const type = 'text/javascript; charset=utf-8'

// From a scratch server, because the package does not export its script (4 MB). The package's own page has an
// inline script, which our policy refuses.
const load = async (): Promise<Representation> => {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const scratch = Fastify({ schemaController })
  await scratch.register(apiReference, { routePrefix: '/reference', configuration: { url: '/openapi.json' } })
  const { statusCode, body } = await scratch.inject('/reference/js/scalar.js')
  await scratch.close()
  if (statusCode !== 200)
    throw new Error(`the script of the API reference cannot be read: status ${statusCode}`)
  return createRepresentation(type, body)
}

let loaded: Representation | undefined

export default fp(
  async (app) => {
    app.get(referenceScript, async (_request, reply) => {
      loaded ??= await load()
      return reply.sendPage({ type, file: loaded }, { cacheControl: immutable })
    })
  },
  { name: 'reference', dependencies: ['pages'], fastify: '5.x' },
)
