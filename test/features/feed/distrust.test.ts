import t from 'tap'
import { distrust, regainTrust } from '../../../app/db/trust.ts'
import {
  a,
  bypass,
  database,
  isDistrusted,
  keep,
  onA,
  one,
  owner,
  probeRound,
  recover,
  run,
} from '../../cache/distrust-stage.ts'
import { type Get, until } from '../../helper.ts'

const begin = async (get: Get, query = '') =>
  (await get(`/v1/changes${query}`)).json().page.next_token as string

t.test('followers get 410 once, and continue from a new snapshot through repair and end', async (t) => {
  t.teardown(recover)
  const [all, lab] = [await begin(one.get), await begin(one.get, '?resources=lab')]
  await keep(onA, '/v1/products/p-1')
  await bypass('products', `update products set name = 'for followers' where id = 'p-1'`)
  await probeRound(a)
  const poll = async (token: string) => (await one.get(`/v1/changes?after=${token}`)).statusCode
  t.equal(await poll(all), 410)
  t.equal(await poll(lab), 200, 'other resources')
  const snapshot = await one.get('/v1/changes?after=snapshot&resources=products')
  t.match(snapshot.body, 'for followers')
  const token = String(snapshot.headers['sync-token'])
  t.equal(await poll(token), 200)
  await probeRound(a)
  t.equal(await poll(token), 200, 'a second probe changes nothing')
  await run(`set session_replication_role = replica; update products set name = 'logged' where id = 'p-1';
    set session_replication_role = origin`)
  await recover()
  const after = await one.get(`/v1/changes?after=${token}`)
  t.equal(after.statusCode, 200)
  t.same(
    after.json().data.map(({ id, data }: { id: string; data: { name: string } }) => [id, data.name]),
    [['p-1', 'logged']],
  )
})

t.test('a token gets 410 after a distrust during which a trigger was missing', async (t) => {
  await run('drop trigger products_log_update on products')
  await distrust(database.reserved, ['products'])
  await until('a knows it', () => isDistrusted(a, 'products'))
  const token = await begin(one.get, '?resources=products')
  await run(`update products set name = 'in between' where id = 'p-1'`)
  const { faults } = await regainTrust(owner)
  await run(String(/`(.*)`/s.exec(String(faults[0]))?.[1]))
  await recover()
  t.equal((await one.get(`/v1/changes?after=${token}`)).statusCode, 410)
})
