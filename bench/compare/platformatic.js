import { create } from '@platformatic/db'

/** Platformatic DB with its REST routes over what it finds in `DATABASE_URL`. */
const app = await create(import.meta.dirname, {
  $schema: 'https://schemas.platformatic.dev/@platformatic/db/3.67.0.json',
  server: { hostname: '127.0.0.1', port: 0, logger: { level: 'error' } },
  db: {
    connectionString: process.env.DATABASE_URL,
    schema: ['plain'],
    poolSize: Number(process.env.POOL),
    openapi: true,
    graphql: false,
    events: false,
    dashboard: false,
  },
  watch: false,
})
const url = await app.start({ listen: true })
process.send(Number(new URL(url ?? app.getUrl()).port))
