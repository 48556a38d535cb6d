import t from 'tap'
import { resources } from '../../app/records/resources/index.ts'

t.test('each resource has its own rank, which orders lists and documents', async (t) => {
  const ranks = Object.values(resources).map(({ rank }) => rank)
  t.same(ranks, [...new Set(ranks)])
})
