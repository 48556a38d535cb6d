import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { bind, bindSources } from '../app/custom/bind.ts'
import { checkDocument } from '../app/custom/check.ts'
import { readText } from '../app/custom/read.ts'
import { createDb, createPool, readerRole } from '../app/db/connect.ts'
import { readObject } from '../app/db/custom/read.ts'
import { startEmbedded } from '../app/db/embedded.ts'
import { migrate } from '../app/db/migrate.ts'

/**
 * An uncached dashboard of a customer with 100,000 certificates, beside the same counts written by hand in one
 * statement, in one run, interleaved. What to read is the ratio.
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

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number
const time = async (run: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await run()
  return performance.now() - start
}

try {
  await migrate(createDb(owner))
  await seed()
  const text = await readFile(join(root, 'app/custom/shipped/dashboard-overview.yaml'), 'utf8')
  const definition = checkDocument(readText(text))
  const sources = bindSources(definition, new Map())
  if ('faults' in sources || !('object' in definition.body))
    throw new Error('the dashboard is not what it was')
  const today = new Date().toISOString().slice(0, 10)
  const bound = bind(definition, sources.queries, new Map(), { customerId: 'large', today })
  const { object } = definition.body
  const db = createDb(reader)
  const answer = async () => JSON.parse((await readObject(db, object, bound)).body.toString())
  const written = async () => (await owner.query(byHand)).rows[0].answer
  const [ours, theirs] = [await answer(), await written()]
  if (JSON.stringify(ours) !== JSON.stringify(theirs))
    throw new Error(`${JSON.stringify(ours)} ${JSON.stringify(theirs)}`)
  const samples: { endpoint: number[]; 'by hand': number[] } = { endpoint: [], 'by hand': [] }
  for (let round = 0; round < rounds; round++) {
    samples.endpoint.push(await time(answer))
    samples['by hand'].push(await time(written))
  }
  console.log(
    `${new Date().toISOString()}  Node ${process.version}  ${os.cpus().length} × ${os.cpus()[0]?.model}`,
  )
  console.log(
    `${certificates} certificates, ${rounds} rounds, interleaved; milliseconds: ${JSON.stringify(ours)}`,
  )
  console.table(
    Object.fromEntries(
      Object.entries(samples).map(([name, values]) => {
        const least = Math.min(...values)
        return [
          name,
          {
            median: median(values).toFixed(1),
            least: least.toFixed(1),
            most: Math.max(...values).toFixed(1),
          },
        ]
      }),
    ),
  )
  console.log(`ratio of medians: ${(median(samples.endpoint) / median(samples['by hand'])).toFixed(2)}`)
} finally {
  await owner.end()
  await reader.end()
  await server.release()
  rmSync(folder, { recursive: true, force: true })
}
