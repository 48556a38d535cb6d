import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Version } from './log.ts'
import {
  certificateId,
  countries,
  customers,
  firstVolatile,
  getWindow,
  mostWindows,
  numbers,
  productCount,
  productId,
  productName,
  recordNames,
  valueText,
  views,
} from './world.ts'

type Change = {
  record: string
  views: readonly string[]
  apply: (client: pg.PoolClient, counter: number) => Promise<unknown>
}

export type Transaction = {
  changes: readonly Change[]
  /** Milliseconds between the first statement and the end. */
  holdMs: number
  aborts: boolean
}

export type Writers = {
  writes: ReadonlyMap<string, readonly Version[]>
  /** Runs one transaction. Locks its records in this process first, so that counters are in commit order. */
  run(transaction: Transaction): Promise<void>
  /** Writes until the returned function is called, which resolves when the last transaction has ended. */
  start(): () => Promise<void>
}

const random = (limit: number) => Math.floor(Math.random() * limit)
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
const always = [views.all, views.active]

export const bumpProduct = (customer: string, index: number, status = 'active'): Change => ({
  record: recordNames.product(customer, index),
  views: status === 'active' ? always : [views.all],
  // The row may exist or not: after a commit without an answer, the result is unknown.
  apply: (client, counter) =>
    client.query(
      index < firstVolatile
        ? 'update public.products set model = $4, product_status = $5, name = $3 where customer_id = $1 and id = $2'
        : `insert into public.products (customer_id, id, name, model, product_status) values ($1, $2, $3, $4, $5)
            on conflict (customer_id, id) do update
            set model = excluded.model, product_status = excluded.product_status`,
      [
        customer,
        productId(customer, index),
        productName(customer, index),
        valueText(customer, counter),
        status,
      ],
    ),
})

const deleteProduct = (customer: string, index: number): Change => ({
  record: recordNames.product(customer, index),
  views: [],
  apply: (client) =>
    client.query('delete from public.products where customer_id = $1 and id = $2', [
      customer,
      productId(customer, index),
    ]),
})

export const bumpCertificate = (customer: string, index: number): Change => ({
  record: recordNames.certificate(customer, index),
  views: always,
  apply: (client, counter) =>
    client.query('update public.certificates set title = $3 where customer_id = $1 and id = $2', [
      customer,
      certificateId(customer, index),
      valueText(customer, counter),
    ]),
})

/** Sets the number of granted approvals, independent of earlier transactions. */
const grant = (customer: string, country: string): Change => ({
  record: recordNames.granted(customer, country),
  views: always,
  apply: (client, counter) =>
    client.query(
      `insert into public.approvals (customer_id, id, product_id, country_code, scheme, status)
        select $1, $1 || '-' || $2 || '-' || n, $3, $2, 'main', 'granted' from generate_series(1, $4::integer) n
        on conflict (customer_id, id) do nothing`,
      [customer, country, productId(customer, 0), counter],
    ),
})

const widen = (customer: string): Change => ({
  record: recordNames.window(customer),
  views: always,
  apply: (client, counter) =>
    client.query('update public.customers set expiring_within = $2 where customer_id = $1', [
      customer,
      getWindow(counter),
    ]),
})

const productChange = (customer: string): Change => {
  const index = random(productCount)
  if (index >= firstVolatile && Math.random() < 0.4) return deleteProduct(customer, index)
  return bumpProduct(customer, index, Math.random() < 0.3 ? 'phase_out' : 'active')
}

/** A product with the certificate that includes it, or several records of several resources. */
const together = (customer: string): Change[] => {
  const index = random(productCount)
  const pair = [bumpProduct(customer, index), bumpCertificate(customer, index)]
  if (Math.random() < 0.5) return pair
  const others = numbers(3).map(() => random(firstVolatile))
  const more = [...new Set(others)].filter((other) => other !== index)
  return [...pair, ...more.map((other) => bumpProduct(customer, other)), grant(customer, pick(countries))]
}

const randomChanges = (customer: string): Change[] => {
  const kind = Math.random()
  if (kind < 0.45) return together(customer)
  if (kind < 0.75) return [productChange(customer)]
  if (kind < 0.9) return [bumpCertificate(customer, random(productCount))]
  return [grant(customer, pick(countries))]
}

/** Returns 1 to 80 ms, mostly short. */
const randomHold = () => 1 + Math.random() ** 2 * 79

/** Pause between two transactions of a writer: one customer is busy, one almost idle. */
const paces: readonly { customer: (typeof customers)[number]; pauseMs: number; writers: number }[] = [
  { customer: 'alpha', pauseMs: 30, writers: 4 },
  { customer: 'beta', pauseMs: 150, writers: 2 },
  { customer: 'gamma', pauseMs: 1_500, writers: 1 },
]
const widenEveryMs = 700
const abortShare = 0.12

const initial = (record: string): [string, Version[]] => [
  record,
  [
    {
      counter: 0,
      transaction: -1,
      views: always,
      startedAt: Number.NEGATIVE_INFINITY,
      outcome: 'committed',
      ackedAt: Number.NEGATIVE_INFINITY,
      ackedAtWall: Number.NEGATIVE_INFINITY,
    },
  ],
]

const allRecords = () =>
  customers.flatMap((customer) => [
    ...numbers(productCount).map((index) => recordNames.product(customer, index)),
    ...numbers(productCount).map((index) => recordNames.certificate(customer, index)),
    ...countries.map((country) => recordNames.granted(customer, country)),
    recordNames.window(customer),
  ])

/** Creates one lock per name. A caller that takes several locks must take them in a fixed order. */
const createLocks = () => {
  const tails = new Map<string, Promise<void>>()
  return async (names: readonly string[]): Promise<() => void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = names.map((name) => tails.get(name))
    for (const name of names) tails.set(name, promise)
    await Promise.all(before)
    return resolve
  }
}

const end = async (client: pg.PoolClient, aborts: boolean, versions: readonly Version[]): Promise<void> => {
  if (aborts) {
    await client.query('rollback')
    for (const version of versions) version.outcome = 'aborted'
    return
  }
  // After an error from here on, the outcome is unknown.
  for (const version of versions) version.outcome = 'unknown'
  await client.query('commit')
  const ackedAt = performance.now()
  const ackedAtWall = Date.now()
  for (const version of versions) Object.assign(version, { outcome: 'committed', ackedAt, ackedAtWall })
}

/**
 * Creates writers on a pool of the operator's connections. Each transaction begins with one of the sessions'
 * SQL. Database errors are expected.
 */
export const createWriters = (pool: pg.Pool, sessions: readonly string[]): Writers => {
  const writes = new Map<string, Version[]>(allRecords().map(initial))
  const lock = createLocks()
  let transactions = 0

  const write = async ({ changes, holdMs, aborts }: Transaction): Promise<void> => {
    transactions += 1
    const transaction = transactions
    const startedAt = performance.now()
    const versions = changes.map(({ record, views: within }) => {
      const list = writes.get(record) as Version[]
      const version: Version = {
        counter: (list.at(-1) as Version).counter + 1,
        transaction,
        views: within,
        startedAt,
        // Until COMMIT is sent, an error or a lost connection rolls back.
        outcome: 'aborted',
        ackedAt: Number.POSITIVE_INFINITY,
        ackedAtWall: Number.POSITIVE_INFINITY,
      }
      list.push(version)
      return version
    })
    const client = await pool.connect().catch(() => undefined)
    if (!client) return
    try {
      await client.query(`begin; ${pick(sessions)}`)
      for (const [index, { apply }] of changes.entries()) {
        await apply(client, (versions[index] as Version).counter)
        await delay(holdMs / changes.length)
      }
      await end(client, aborts, versions)
      client.release()
    } catch {
      client.release(true)
    }
  }

  const run = async (transaction: Transaction): Promise<void> => {
    const changes = transaction.changes.toSorted((a, b) => (a.record < b.record ? -1 : 1))
    const unlock = await lock(changes.map(({ record }) => record))
    try {
      await write({ ...transaction, changes })
    } finally {
      unlock()
    }
  }

  /** The window reaches its maximum in a run of several minutes. */
  const isAsWide = (customer: string) => (writes.get(recordNames.window(customer))?.length ?? 0) > mostWindows

  const start = () => {
    let isStopped = false
    const write = async (pauseMs: number, changes: () => Change[]): Promise<void> => {
      while (!isStopped) {
        await run({ changes: changes(), holdMs: randomHold(), aborts: Math.random() < abortShare })
        await delay(pauseMs * (0.5 + Math.random()))
      }
    }
    const all = paces.flatMap(({ customer, pauseMs, writers }) => [
      ...numbers(writers).map(() => write(pauseMs, () => randomChanges(customer))),
      write(widenEveryMs, () => (isAsWide(customer) ? [] : [widen(customer)])),
    ])
    return async () => {
      isStopped = true
      await Promise.all(all)
    }
  }

  return { writes, run, start }
}
