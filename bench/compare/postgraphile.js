import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

/** PostGraphile as its guide sets it up for production: GraphQL over what it finds in `DATABASE_URL`. */
const service = makePgService({
  connectionString: process.env.DATABASE_URL,
  schemas: ['plain'],
  poolConfig: { max: Number(process.env.POOL) },
})
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [service],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
})
const server = createServer()
await instance.createServ(grafserv).addTo(server)
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
