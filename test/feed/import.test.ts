import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import t from 'tap'
import { importRecords } from '../../app/import/index.ts'
import { createTestDatabase } from '../helper.ts'
import { type Asker, createFollower, type Follower, listDifferences, readAll } from './follower.ts'

/** Imports three months of real registers, each with --replace, while clients follow. */
const months = ['2026-01-06', '2026-02-28', '2026-04-25']
const folder = join(import.meta.dirname, '..', 'data')
const readFile = (day: string) => gunzipSync(readFileSync(join(folder, `certifications-${day}.ndjson.gz`)))
const countLines = (files: readonly Buffer[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const line of files.flatMap((bytes) => bytes.toString().trimEnd().split('\n'))) {
    const { customer } = JSON.parse(line) as { customer: string }
    counts.set(customer, (counts.get(customer) ?? 0) + 1)
  }
  return counts
}

/** The 12 largest customers and some small ones. */
const chooseCustomers = (): string[] => {
  const bySize = [...countLines(months.map(readFile))].sort((a, b) => b[1] - a[1])
  return bySize.map(([customer]) => customer).filter((_, index) => index < 12 || index % 40 === 0)
}

const database = await createTestDatabase()
t.teardown(() => database.close())

t.test('who follows three imports that replace each other ends up with a full read', async (t) => {
  await sql`select begin_changes(interval '0')`.execute(database.operator)
  const names = chooseCustomers()
  const followers: { asker: Asker; follower: Follower; limit: number }[] = []
  for (const [index, customerId] of names.entries()) {
    const asker: Asker = { customerId, day: '2026-01-01' }
    const follower = createFollower(database, asker)
    await follower.start()
    await follower.step(1)
    followers.push({ asker, follower, limit: [500, 50, 7][index % 3] as number })
  }
  const [watched] = followers as [(typeof followers)[0]]
  for (const month of months) {
    const importing = importRecords(database.operator, ReadableStream.from([readFile(month)]), {
      replace: true,
    })
    let isRunning = true
    const done = importing.finally(() => {
      isRunning = false
    })
    while (isRunning) await watched.follower.step(50)
    const { bad } = await done
    t.equal(bad, 0)
    for (const { asker, follower, limit } of followers.filter((_, index) => index % 2 === 0)) {
      asker.day = month
      await follower.catchUp(limit)
    }
  }
  let records = 0
  let restarts = 0
  for (const { asker, follower, limit } of followers) {
    asker.day = '2026-05-01'
    await follower.catchUp(limit)
    const all = await readAll(database, asker)
    t.same(listDifferences(follower.records, all), [], asker.customerId)
    records += all.size
    restarts += follower.restarts
  }
  t.comment(`${followers.length} followers, ${records} records`)
  t.equal(restarts, 0, 'nobody had to start again')
  t.ok(records > 1000)
})
