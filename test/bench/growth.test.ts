import t from 'tap'
import { judgePlan, type Node } from '../../bench/growth/plans.ts'
import { createTables, getInstant } from '../../bench/growth/records.ts'
import { listBatches, listHolders, parseSizes } from '../../bench/growth/sizes.ts'

const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0)

t.test('sizes are read, or refused by name', async (t) => {
  t.same(parseSizes('10k/1,5m/5000,20/3'), [
    { name: '10k', certificates: 10_000, customers: 1 },
    { name: '5m', certificates: 5_000_000, customers: 5_000 },
    { name: '20', certificates: 20, customers: 3 },
  ])
  for (const wrong of ['10k', '10k/0', '2/3', 'x/1', '10k/1,']) t.throws(() => parseSizes(wrong), /--sizes/)
})

t.test('every certificate has a holder: one large, one with a dashboard, the rest alike', async (t) => {
  const [size] = parseSizes('5m/5000')
  const holders = listHolders(size as NonNullable<typeof size>)
  t.equal(holders.length, 5_001)
  t.equal(sum(holders.map(({ certificates }) => certificates)), 5_001_000)
  t.equal(holders[0]?.certificates, 100_000)
  t.equal(holders.at(-1)?.certificates, 1_000)
  const others = holders.slice(1, -1).map(({ certificates }) => certificates)
  t.ok(Math.max(...others) - Math.min(...others) <= 1)
  t.equal(listHolders({ name: '', certificates: 10_000, customers: 1 })[0]?.certificates, 10_000)
})

t.test('records are generated in batches, for all customers in turn, each once', async (t) => {
  const holders = listHolders({ name: '', certificates: 1_000, customers: 4 })
  const batches = listBatches(holders, 'certificates', 100)
  t.equal(sum(batches.map(({ from, to }) => to - from + 1)), 2_000)
  t.same(
    batches.map(({ at }) => at),
    batches.map(({ at }) => at).sort((a, b) => a - b),
  )
  const now = Date.parse('2026-11-21')
  const large = batches
    .filter(({ customerId }) => customerId === 'large')
    .map((each) => getInstant(each, now))
  t.equal(new Set(large).size, large.length, 'each has an instant of its own')
  for (const table of Object.values(createTables(now))) {
    const row = table.row(55, { customerId: 'large', from: 1, to: 100, at: 0.5 }, large[0] as string)
    t.equal(row.split('\t').length, table.columns.length, table.name)
  }
})

t.test('a plan is rated by the rows that it reads', async (t) => {
  const scan = (more: Partial<Node>): Node => ({
    'Node Type': 'Index Scan',
    'Relation Name': 'certificates',
    'Index Name': 'certificates_created_at',
    'Index Cond': "(customer_id = 'a'::text)",
    'Actual Rows': 51,
    'Actual Loops': 1,
    ...more,
  })
  const under = (...Plans: Node[]): Node => ({
    'Node Type': 'Limit',
    'Actual Rows': 1,
    'Actual Loops': 1,
    Plans,
  })
  const judge = (node: Node, small: string[] = []) => judgePlan(under(node), 60, new Set(small))
  t.match(judge(scan({})), { rowsRead: 51, faults: [], whole: [] })
  t.match(judge(scan({ 'Actual Loops': 2 })), {
    rowsRead: 102,
    faults: ['reads 102 rows, at most 60 expected'],
  })
  t.match(judge(scan({ 'Rows Removed by Filter': 10 })).rowsRead, 61)
  t.match(judge(scan({ 'Index Cond': '(created_at < now())' })).faults, [
    'certificates_created_at is not entered by the customer',
  ])
  const {
    'Index Name': _,
    'Index Cond': __,
    ...whole
  } = scan({ 'Node Type': 'Seq Scan', 'Actual Rows': 5_000 })
  t.match(judge(whole).faults, ['scans certificates', 'reads 5000 rows, at most 60 expected'])
  t.match(judge(whole, ['certificates']), { rowsRead: 5_000, faults: [], whole: ['certificates'] })
})
