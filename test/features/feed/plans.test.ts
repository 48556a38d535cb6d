import { type RawBuilder, sql } from 'kysely'
import t from 'tap'
import { parseSnapshot } from '../../../app/cache/snapshot.ts'
import { createDb, createPool, type NamedStatement, readerRole } from '../../../app/db/connect.ts'
import { spansAhead } from '../../../app/features/feed/diff.ts'
import { flipStatement } from '../../../app/features/feed/flips.ts'
import { getLogStatement, getProbeStatement, toBounds } from '../../../app/features/feed/log.ts'
import { resourceNames } from '../../../app/records/resources/index.ts'
import { explain, listScans, rowsRead } from '../../db/explain.ts'
import { connectOwner, createTestDatabase } from '../../helper.ts'

/** The cost of a page depends on the page, not on the log, other customers or long transactions. */
const database = await createTestDatabase()
t.teardown(() => database.close())
const { reader } = database
const generic = createDb(
  createPool(database.url, { role: readerRole, max: 1, applicationName: 'test', onError: () => {} }),
)
t.teardown(() => generic.destroy())
await sql`set plan_cache_mode = force_generic_plan`.execute(generic)

const customerId = 'large'
const limit = 50
const rows = 300
const bindings = { day: '2026-11-21', window: 90 }
/** Log rows of the customer and of all customers. Each record reads two rows of history and its start. */
const bound = 2 * (rows + 1) + 4 * limit
/** Tables that do not grow with the customers' data. */
const small = ['countries', 'history_begun']

const seed = [
  sql`select begin_changes(interval '0')`,
  sql`insert into customers (customer_id, name) values ('large', 'L')`,
  sql`insert into certificates (customer_id, id, number, title, approval_status, valid_until)
    select 'large', 'c' || i, 'N', 'T', 'approved', date '2020-01-01' + i % 4000 from generate_series(1, 20000) i`,
  ...[
    `products (customer_id, id, name) select 'large', 'p' || i, 'N'`,
    `projects (customer_id, id, project_number, title) select 'large', 'j' || i, 'N', 'T'`,
    `lab (customer_id, id, report_number, title, status) select 'large', 'l' || i, 'N', 'T', 'draft'`,
    `approvals (customer_id, id, product_id, country_code, scheme) select 'large', 'a' || i, 'p', chr(65 + i % 26) || chr(65 + i / 26 % 26), 'S'`,
  ].map((values) => sql.raw(`insert into ${values} from generate_series(1, 5000) i`)),
  sql`update certificates set title = 'U' where customer_id = 'large'`,
  sql`delete from change_log`,
  // Transactions with 100 rows of the customer and 400 of others, and one with 20,000 of the customer.
  sql`insert into change_log (customer_id, xid, resource, record_id)
    select case when i % 5 = 0 then 'large' else 'small-' || i % 97 end, (1000 + i / 500)::text::xid8, 'certificates', 'c' || i
    from generate_series(1, 100000) i`,
  sql`insert into change_log (customer_id, xid, resource, record_id)
    select 'large', '2000'::xid8, 'certificates', 'c' || i from generate_series(1, 20000) i`,
  sql`insert into change_log (customer_id, xid, resource, record_id)
    select '*', (1000 + i)::text::xid8, 'countries', 'AA' from generate_series(1, 2000) i`,
  sql.raw('analyze'),
]

type Walk = Parameters<typeof spansAhead>[0] & { diff?: { position: number } | undefined }

const getPage = (token: Walk) => ({
  customerId,
  resources: resourceNames,
  limit,
  rows,
  bindings,
  ...toBounds(spansAhead(token)),
  after: token.diff,
  target: token.diff?.target ?? token.base,
  seen: { snapshot: token.base, at: '2126-01-01T00:00:00Z', moment: bindings },
  withFormer: undefined,
  view: undefined,
})

/** Repeats the request until the statement is kept. */
const keep = (get: () => NamedStatement): NamedStatement => {
  for (let i = 0; i < 10; i++) {
    const found = get()
    if (found.name !== undefined) return found
  }
  throw new Error('never kept')
}

const prepared = new Set<string>()
const quote = (text: string) => `'${text.replaceAll("'", "''")}'`
const toLiteral = (value: unknown): string => {
  if (Array.isArray(value)) return quote(`{${value.join()}}`)
  return typeof value === 'number' ? String(value) : quote(String(value))
}

/** Explains the prepared statement, planned without the values. */
const explainGeneric = async ({ name = '', text, values }: NamedStatement) => {
  if (!prepared.has(name)) await sql.raw(`prepare ${name} as ${text}`).execute(generic)
  prepared.add(name)
  return explain(generic, sql.raw(`execute ${name}(${values.map(toLiteral).join()})`))
}

t.test('a page of the feed', async (t) => {
  const owner = connectOwner(database)
  for (const statement of seed) await statement.execute(owner)
  await owner.destroy()
  const late = parseSnapshot('900:9000:2000')
  const tokens: Record<string, [Walk, atLeast: number]> = {
    'from the beginning of the log': [{ base: parseSnapshot('900:900:'), diff: undefined }, limit],
    'at its end': [{ base: parseSnapshot('1195:1195:'), diff: undefined }, limit],
    'beyond it': [{ base: parseSnapshot('9000:9000:'), diff: undefined }, 0],
    'of a transaction that was open for long': [
      { base: parseSnapshot('1100:9000:1100,5000,6000'), diff: undefined },
      limit,
    ],
    'in the middle of a large transaction': [
      {
        base: parseSnapshot('1300:1300:'),
        diff: { target: parseSnapshot('9000:9000:'), xid: 2000, position: 110_000 },
      },
      limit,
    ],
    'before a large transaction that its target does not show': [
      { base: parseSnapshot('1300:1300:'), diff: { target: late, xid: 1300, position: 0 } },
      1,
    ],
  }
  for (const [name, [token, atLeast]] of Object.entries(tokens)) {
    await t.test(`${name} costs the page, not the log`, async (t) => {
      const nodes = await explainGeneric(keep(() => getLogStatement(getPage(token))))
      const log = listScans(nodes).filter((node) =>
        /change_log/.test(`${node['Relation Name']}${node['Index Name']}`),
      )
      t.ok(log.length > 0)
      for (const node of log) {
        t.equal(node['Index Name'], 'change_log_pkey')
        t.match(node['Index Cond'], /customer_id = /)
        t.match(node['Index Cond'], /xid >= /)
        t.match(node['Index Cond'], /xid <= /)
      }
      t.same(
        nodes
          .filter((node) => node['Node Type'] === 'Seq Scan' && !small.includes(node['Relation Name'] ?? ''))
          .map((node) => node['Relation Name']),
        [],
      )
      const spans = spansAhead(token).length
      const read = rowsRead(nodes)
      t.ok(read <= bound * Math.max(1, spans - 1), `${read} rows`)
      t.ok(read >= atLeast, 'and the page was not empty')
    })
  }
})

t.test('the probe reads at most its bound of log rows for each span, by the primary key', async (t) => {
  const mostRows = 40
  for (const base of ['900:900:', '1195:1195:', '1100:9000:1100,5000,6000', '9000:9000:']) {
    const token = { base: parseSnapshot(base), diff: undefined }
    const bounds = toBounds(spansAhead(token))
    const input = { customerId, resources: resourceNames, ...bounds, target: token.base, rows: mostRows }
    const nodes = await explainGeneric(keep(() => getProbeStatement(input)))
    const log = listScans(nodes).filter((node) =>
      /change_log/.test(`${node['Relation Name']}${node['Index Name']}`),
    )
    t.ok(log.length > 0)
    for (const node of log) {
      t.equal(node['Index Name'], 'change_log_pkey')
      t.match(node['Index Cond'], /customer_id = .*xid >= .*xid <= /)
    }
    t.ok(rowsRead(nodes) <= (mostRows + 1) * 2 * bounds.lows.length + 10, `${rowsRead(nodes)} rows`)
  }
})

t.test('the computed changes of a day are read from ranges of indexes', async (t) => {
  const page = (from: { day: string; window: number }, to: { day: string; window: number }) =>
    flipStatement({
      customerId,
      resources: resourceNames,
      limit,
      from,
      cause: 'day' as const,
      walk: { to, after: undefined },
      target: parseSnapshot('900:900:'),
      seen: { snapshot: parseSnapshot('900:900:'), at: '2126-01-01T00:00:00Z', moment: from },
    }) as RawBuilder<unknown>
  const oneDay = await explain(reader, page({ day: '2026-11-20', window: 90 }, bindings))
  const oneYear = await explain(reader, page({ day: '2025-11-21', window: 90 }, bindings))
  const anotherWindow = await explain(reader, page({ day: '2026-11-21', window: 365 }, bindings))
  for (const [name, nodes] of Object.entries({ oneDay, oneYear, anotherWindow })) {
    const names = listScans(nodes)
      // history_begun has one row for each resource.
      .filter((node) => node['Relation Name'] !== 'history_begun')
      .map((node) => node['Index Name'])
    t.same(
      new Set(
        names.filter((each) => !/^(certificates_valid_(until|from)|record_history_pkey)$/.test(each ?? '')),
      ),
      new Set(),
      name,
    )
    // A page for each edge, and each record with two rows of history.
    t.ok(rowsRead(nodes) <= 9 * (limit + 1), `${name}: ${rowsRead(nodes)} rows`)
  }
  t.ok(rowsRead(oneDay) >= 5, 'there are some')
})
