import t from 'tap'
import { type Customer, customers, testWalls } from '../../api/isolation-stage.ts'
import { createCommandLine } from '../../command-line.ts'
import { publicUrl, secretKey } from '../../helper.ts'

const route = '/v1/calendar/:file'
const list = '/v1/certificates'
const queries = [
  '',
  'validity=valid',
  'valid_until[lt]=today',
  'country_code=JP',
  'q=number',
  'sort=id',
  'approval_status[ne]=pending',
]

/** Of the database that was made last. */
const addresses = new Map<Customer, string>()
const withQueries = (path: string) => queries.map((query) => `${path}?format=ics&${query}`)

await testWalls(t, {
  isWalked: (each) => each === route || each === list,
  listTargets: (each, customer) => ({
    own: withQueries(each === route ? (addresses.get(customer) as string) : each),
    foreign: [],
  }),
  seedMore: async ({ url }) => {
    const env = { DATABASE_URL: url, SECRET_KEY: secretKey, PUBLIC_URL: publicUrl }
    const { json } = createCommandLine(env, 'keys')
    for (const customer of customers) {
      if (customer === 'demo') continue
      const { address } = await json('issue', customer, '--calendar')
      addresses.set(customer, address.replace(publicUrl, ''))
    }
  },
  tables: ['certificates'],
  leakingRoutes: ['calendar', 'certificates'],
  exportFormats: ['ics'],
  least: {
    answers: 30,
    visible: 10,
    answersOfOne: 20,
    visibleOfOne: 10,
    conditions: 20,
    leaks: 10,
    heads: 0,
  },
})
