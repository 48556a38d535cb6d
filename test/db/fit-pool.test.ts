import { randomBytes } from 'node:crypto'
import pg from 'pg'
import t, { type Test } from 'tap'
import { createPool } from '../../app/db/connect.ts'
import { fitPool } from '../../app/db/fit-pool.ts'
import { testPostgres } from '../servers.ts'

const server = await testPostgres()
const owner = new pg.Client({ connectionString: server.url })
await owner.connect()
const role = `limited_${randomBytes(4).toString('hex')}`
await owner.query(`create role ${role} login password 'x' connection limit 4`)
const url = new URL(server.url.replace('@/', '@localhost/'))
url.username = role
url.password = 'x'
t.teardown(async () => {
  await owner.query(`drop role ${role}`)
  await owner.end()
  await server.stop()
})

const open = (t: Test) => {
  const warnings: string[] = []
  const timers: { ms: number; call: () => void }[] = []
  const pool = createPool(url.href, { max: 10, applicationName: 'test', onError: () => {} })
  fitPool(pool, {
    warn: (message) => warnings.push(message),
    after: (ms, call) => {
      timers.push({ ms, call })
      return () => {}
    },
  })
  t.teardown(() => pool.end())
  const passTime = () => {
    for (const { call } of timers.splice(0)) call()
  }
  return { pool, warnings, passTime }
}

const work = async (pool: pg.Pool) => {
  const client = await pool.connect()
  try {
    return (await client.query('select pg_sleep(0.02)')).rowCount
  } finally {
    client.release()
  }
}
const burst = (pool: pg.Pool) => Promise.all(Array.from({ length: 40 }, () => work(pool)))

t.test('a pool shrinks to the limit of its role, and every request is answered', async (t) => {
  const { pool, warnings, passTime } = open(t)
  t.same(await burst(pool), Array(40).fill(1))
  t.equal(pool.options.max, 4)
  t.equal(pool.totalCount, 4)
  passTime()
  t.equal(warnings.length, 1)
  t.match(warnings[0], /only 4 of 10 connections \(too many connections for role/)
  await burst(pool)
  passTime()
  t.equal(warnings.length, 1, 'logged once')

  await owner.query(`alter role ${role} connection limit 20`)
  await burst(pool)
  t.equal(pool.totalCount, 10, 'a raised limit is used')
  t.match(warnings[1], 'grants all 10 connections again')
  await owner.query(`alter role ${role} connection limit 4`)
})

t.test('a pool without any connection rejects', async (t) => {
  const taken = open(t)
  const clients = await Promise.all([1, 2, 3, 4].map(() => taken.pool.connect()))
  const { pool } = open(t)
  await t.rejects(work(pool), { code: '53300' })
  for (const client of clients) client.release(true)
})
