import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { bind, bindSources } from '../app/custom/bind.ts'
import { checkDocument } from '../app/custom/check.ts'
import { readText } from '../app/custom/read.ts'
import { readObject } from '../app/custom/sql/read.ts'
import { objectStatement } from '../app/custom/sql/statement.ts'
import { createDb, createPool, readerRole } from '../app/db/connect.ts'
import { migrate } from '../app/db/migrate.ts'
import { startEmbedded } from '../app/local/embedded.ts'
import { median } from './lib/statistics.ts'

/**
 * Compares an uncached dashboard of a customer with 100,000 certificates with the same counts in one handwritten
 * statement. Both run interleaved. The result to read is the ratio.
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 30)
const certificates = 100_000
const others = 100_000
const url = process.env.BENCH_DATABASE_URL

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(os.tmpdir(), 'certdata-bench-'))
const server = url
  ? { url, release: async () => {} }
  : await startEmbedded({ dataDir: folder, packageRoot: root, log: () => {}, temporary: true })
const ignore = () => {}
const options = { max: 1, applicationName: 'bench', onError: ignore }
const owner = createPool(server.url, { ...options, statementTimeoutMs: 0 })
const reader = createPool(server.url, { ...options, role: readerRole, prepares: true })

const seed = async () => {
  const each = (customer: string, many: number) => `
    insert into customers (customer_id, name, plan) values ('${customer}', 'x', 'premium');
    insert into products (customer_id, id, name, product_status)
      select '${customer}', 'p' || n, 'Name ' || n, case when n % 10 = 0 then 'draft' else 'active' end
      from generate_series(1, ${many / 10}) n;
    insert into certificates (customer_id, id, number, title, product_id, country_code, scheme, approval_status,
      valid_from, valid_until, standards, tags)
      select '${customer}', 'c' || n, 'N-' || n, repeat('Title ', 10), 'p' || n / 10, 'JP', 'MIC',
        case when n % 50 = 0 then 'suspended' when n % 70 = 0 then 'pending' else 'approved' end,
        date '2016-01-01' + n % 3900, case when n % 11 > 0 then current_date + n * 7 % 2500 - 1000 end,
        array['EN ' || n % 300], array['common', 't' || n % 300]
      from generate_series(1, ${many}) n;
    insert into approvals (customer_id, id, product_id, country_code, scheme, certificate_id, status)
      select '${customer}', 'a' || n, 'p' || n / 10, 'JP', 'MIC', 'c' || n,
        (array['granted', 'in_review', 'planned'])[n % 3 + 1]
      from generate_series(1, ${many}) n;`
  await owner.query(each('large', certificates))
  await owner.query(each('other', others))
  await owner.query('vacuum analyze')
}

/** What somebody would write who needs these figures once, as the owner, whom no policy binds. */
const byHand = `
  select json_build_object(
    'products', (select count(*) from products where customer_id = 'large' and product_status <> 'draft'),
    'certificates', (select json_build_object(
      'valid', count(*),
      'expiring', count(*) filter (where valid_until <= current_date + 90))
      from certificates where customer_id = 'large' and approval_status in ('approved', 'conditional')
        and (valid_from is null or valid_from <= current_date)
        and (valid_until is null or valid_until >= current_date)),
    'open_approvals', (select count(*) from approvals where customer_id = 'large' and status in
      ('preparing', 'testing', 'submitted', 'in_review', 'information_requested', 'on_hold')),
    'last_updated', (select greatest(
      (select max(updated_at) from products where customer_id = 'large'),
      (select max(updated_at) from certificates where customer_id = 'large'),
      (select max(updated_at) from approvals where customer_id = 'large'))::date)) as answer`

/** By hand, by somebody who knows the indexes. */
const byHandWell = byHand
  .replace('(valid_until is null or valid_until >= current_date)', 'valid_until_sort >= current_date')
  .replace(
    '(valid_from is null or valid_from <= current_date)',
    "(valid_from_sort <= current_date or valid_from_sort = 'infinity')",
  )
  .replace('valid_until <= current_date + 90', 'valid_until_sort <= current_date + 90')

const time = async (run: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await run()
  return performance.now() - start
}

const bindDashboard = async () => {
  const text = await readFile(join(root, 'app/custom/shipped/dashboard-overview.yaml'), 'utf8')
  const definition = checkDocument(readText(text))
  const sources = bindSources(definition, new Map())
  if ('faults' in sources || !('object' in definition.body))
    throw new Error('the dashboard is not what it was')
  const moment = { customerId: 'large', today: new Date().toISOString().slice(0, 10) }
  return { object: definition.body.object, bound: bind(definition, sources.queries, new Map(), moment) }
}

const explain = async (pool: pg.Pool, text: string, values: readonly unknown[] = []) => {
  const { rows } = await pool.query(`explain (analyze, buffers) ${text}`, [...values])
  console.log(rows.map((row) => row['QUERY PLAN']).join('\n'))
}

try {
  await migrate(createDb(owner))
  await seed()
  const { object, bound } = await bindDashboard()
  const db = createDb(reader)
  const answer = async () => JSON.parse((await readObject(db, object, bound)).body.toString())
  const written = async (statement: string) => (await owner.query(statement)).rows[0].answer
  const ours = await answer()
  for (const statement of [byHand, byHandWell]) {
    const theirs = await written(statement)
    if (JSON.stringify(ours) === JSON.stringify(theirs)) continue
    throw new Error(`${JSON.stringify(ours)} is not ${JSON.stringify(theirs)}`)
  }
  if (process.env.BENCH_EXPLAIN) {
    const { sql, parameters } = objectStatement(object, bound).compile(db)
    await explain(reader, sql, parameters)
    await explain(owner, byHandWell)
  }
  const runs = {
    endpoint: answer,
    'by hand': () => written(byHand),
    'by hand, by the indexes': () => written(byHandWell),
  }
  const samples = new Map(Object.keys(runs).map((name) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(runs)) samples.get(name)?.push(await time(run))
  }
  const of = (name: keyof typeof runs) => median(samples.get(name) as number[])
  console.log(
    `${new Date().toISOString()}  Node ${process.version}  ${os.cpus().length} × ${os.cpus()[0]?.model}`,
  )
  console.log(
    `${certificates} certificates, ${rounds} rounds, interleaved; milliseconds: ${JSON.stringify(ours)}`,
  )
  console.table(
    Object.fromEntries(
      [...samples].map(([name, values]) => {
        const [least, most] = [Math.min(...values), Math.max(...values)]
        const row = { median: median(values).toFixed(1), least: least.toFixed(1), most: most.toFixed(1) }
        return [name, row]
      }),
    ),
  )
  for (const name of ['by hand', 'by hand, by the indexes'] as const) {
    console.log(`endpoint to ${name}: ${(of('endpoint') / of(name)).toFixed(2)}`)
  }
} finally {
  await owner.end()
  await reader.end()
  await server.release()
  rmSync(folder, { recursive: true, force: true })
}
