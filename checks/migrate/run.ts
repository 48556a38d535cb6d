import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { createPool, readerRole } from '../../app/db/connect.ts'
import { migrate, migrations } from '../../app/db/migrate.ts'
import { buildIndex, changeInBatches } from '../../app/db/migration-steps.ts'
import { connectOwner, createTestDatabase } from '../../test/helper.ts'

/** Measures how long readers of the history wait while `migrate` adds a column. `ROWS=100000` is shorter. */

const rows = Number(process.env.ROWS ?? 1_000_000)
const batchRows = 10_000
const everyMs = 100
const promisedMs = 1_000

const database = await createTestDatabase()
const owner = connectOwner(database)
const reader = createPool(database.url, {
  role: readerRole,
  max: 1,
  applicationName: 'reader',
  onError: () => {},
  statementTimeoutMs: 0,
})

const seed = async (): Promise<void> => {
  await sql`insert into customers (customer_id, name) values ('acme', 'Acme')`.execute(owner)
  await sql`insert into record_history (customer_id, resource, record_id, at, old)
    select 'acme', 'products', 'p-' || n % 50000, now() - n * interval '1 second',
      jsonb_build_object('name', 'A former name of product ' || n)
    from generate_series(1, ${sql.lit(rows)}) n`.execute(owner)
  await sql`vacuum analyze record_history`.execute(owner)
}

const read = async (): Promise<void> => {
  await reader.query(`select position from (select set_config('app.customer_id', 'acme', false) as id offset 0) s
    join record_history h on h.customer_id = s.id and h.resource = 'products' order by at desc limit 50`)
}

/** Returns the reader's longest wait and the duration of the work, in milliseconds. It reads every 100 ms. */
const measure = async (work: () => Promise<unknown>) => {
  let isOver = false
  let longestMs = 0
  const keepReading = async () => {
    while (!isOver) {
      const startedAt = performance.now()
      await read()
      longestMs = Math.max(longestMs, performance.now() - startedAt)
      await delay(everyMs)
    }
  }
  const reading = keepReading()
  const startedAt = performance.now()
  await work()
  const tookMs = performance.now() - startedAt
  isOver = true
  await reading
  return { longestMs, tookMs }
}

const inOneTransaction = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table record_history add column before_size integer`.execute(db)
  await sql`update record_history set before_size = pg_column_size(old)`.execute(db)
  await sql`create index before_by_size on record_history (customer_id, before_size)`.execute(db)
}

type Key = readonly [customer: string, resource: string, id: string, position: string]

const fillBatch = ([customer, resource, id, position]: Key) => sql<{ last: Key | null }>`
  with batch as materialized (
    select customer_id, resource, record_id, position, old from record_history
    where (customer_id, resource, record_id, position) > (${customer}, ${resource}, ${id}, ${position}::bigint)
    order by customer_id, resource, record_id, position limit ${batchRows}),
  changed as (
    update record_history h set after_size = pg_column_size(b.old) from batch b
    where (h.customer_id, h.resource, h.record_id, h.position) = (b.customer_id, b.resource, b.record_id, b.position))
  select (select json_build_array(customer_id, resource, record_id, position::text) from batch
    order by customer_id desc, resource desc, record_id desc, position desc limit 1) as last`

const inSteps = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table record_history add column if not exists after_size integer`.execute(db)
  await changeInBatches<Key>(db, ['', '', '', '0'], fillBatch)
  await buildIndex(db, 'after_by_size', 'record_history (customer_id, after_size)')
}

const report = (name: string, { longestMs, tookMs }: Awaited<ReturnType<typeof measure>>): void =>
  console.log(
    `${name}: a reader waited ${Math.round(longestMs)} ms at most; ${Math.round(tookMs / 1000)} s in all`,
  )

try {
  await seed()
  const before = { ...migrations, '9001-in-one-transaction': { up: inOneTransaction } }
  report('in one transaction', await measure(() => migrate(owner, before)))
  await sql`vacuum analyze record_history`.execute(owner)
  const after = { ...before, '9002-in-steps': { up: inSteps, isStepwise: true as const } }
  const steps = await measure(() => migrate(owner, after))
  report('in steps', steps)
  const { rows: missing } = await sql<object>`
    select from record_history where after_size is null limit 1`.execute(owner)
  const isKept = steps.longestMs <= promisedMs && missing.length === 0
  console.log(isKept ? 'ok' : `MISSED: at most ${promisedMs} ms, and every row filled`)
  process.exitCode = isKept ? 0 : 1
} finally {
  await reader.end()
  await owner.destroy()
  await database.close()
}
