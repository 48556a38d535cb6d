import t from 'tap'
import { recordEvents } from '../../../app/audit/record.ts'
import { customers, getMark, testWalls } from '../../api/isolation-stage.ts'

const queries = [
  'limit=500',
  'limit=1',
  'format=ndjson',
  'action=customers.show',
  'since=today-1d',
  'after=0',
]

await testWalls(t, {
  isWalked: (route) => ['/v1/audit', '/audit', '/webapi/v1/api.php/audit'].includes(route),
  listTargets: (route) => ({ own: [route, ...queries.map((query) => `${route}?${query}`)], foreign: [] }),
  /** One entry of each customer. */
  seedMore: async ({ operator }, app) => {
    const act = { actor: 'operator', action: 'customers.show' } as const
    const entries = customers.map((customer) => ({ ...act, customer, subject: getMark(customer) }))
    await recordEvents(operator, entries)
    await app.audit.seal(true)
  },
  tables: ['audit_copies'],
  leakingRoutes: ['audit'],
  exportFormats: ['ndjson'],
  least: {
    answers: 40,
    visible: 10,
    answersOfOne: 10,
    visibleOfOne: 5,
    conditions: 10,
    leaks: 6,
    heads: 0,
  },
})
