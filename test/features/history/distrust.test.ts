import { sql } from 'kysely'
import t from 'tap'
import { distrust } from '../../../app/db/trust.ts'
import {
  a,
  bypass,
  database,
  keep,
  onA,
  one,
  owner,
  probeRound,
  recover,
  run,
} from '../../cache/distrust-stage.ts'

t.test('the probe of cached answers finds a wrong history', async (t) => {
  t.teardown(recover)
  const rename = `update products set name = name || '!' where id = 'p-1'`
  const path = '/v1/products/p-1/history'
  await run(rename)
  await keep(onA, path)
  const { statusCode, body } = await onA(path)
  t.equal(statusCode, 200)
  await bypass('products', rename)
  t.equal((await onA(path)).body, body, 'the wrong answer')
  t.ok((await probeRound(a)).includes('different'))
  t.not((await onA(path)).body, body)
})

t.test('history is complete only since the difference, and keeps its rows', async (t) => {
  t.teardown(recover)
  await run(`update products set name = 'in history' where id = 'p-2'`)
  const list = async () => (await one.get('/v1/products/p-2/history')).json()
  t.ok((await list()).data.some(({ op }: { op: string }) => op === 'update'))
  const { distrusted } = await distrust(database.reserved, ['products'])
  t.ok(distrusted[0]?.history_from, 'names the previous start')
  const { data, page } = await list()
  t.same(data, [])
  const { rows } = await sql<{ since: string; kept: number }>`select
    (select to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') from distrusted_resources) as since,
    (select count(*) from record_history where resource = 'products' and record_id = 'p-2') as kept`.execute(
    owner,
  )
  t.equal(page.history_from, rows[0]?.since)
  t.ok(Number(rows[0]?.kept) > 0)
})
