import cors from '@fastify/cors'
import fp from 'fastify-plugin'

const exposedHeaders =
  'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Request-Id, Cache-Status, Data-As-Of, Sync-Token, ' +
  'Deprecation, Sunset, WWW-Authenticate'

export default fp<{ origins: readonly string[] }>(
  async (app, { origins }) => {
    await app.register(cors, {
      origin: [...origins],
      exposedHeaders,
      maxAge: 600,
      strictPreflight: false,
      // This only adds headers. The routes answer OPTIONS with `Allow`, also without `Origin`.
      preflightContinue: true,
    })
  },
  { name: 'cross-origin', fastify: '5.x' },
)
