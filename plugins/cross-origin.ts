import cors from '@fastify/cors'
import fp from 'fastify-plugin'

/** What a page of another origin may read of an answer, beside what browsers always let it. */
const exposedHeaders = [
  'ETag',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Request-Id',
  'Cache-Status',
  'Data-As-Of',
  'Sync-Token',
  'Deprecation',
  'Sunset',
  'WWW-Authenticate',
]

type CrossOriginOptions = {
  /** Origins whose pages may call the API. */
  origins: readonly string[]
}

/** CORS, for the pages of these origins. */
export default fp<CrossOriginOptions>(
  async (app, { origins }) => {
    await app.register(cors, {
      origin: [...origins],
      exposedHeaders,
      maxAge: 600,
      strictPreflight: false,
      // The routes answer OPTIONS themselves, with `Allow`.
      preflightContinue: true,
    })
  },
  { name: 'cross-origin', fastify: '5.x' },
)
