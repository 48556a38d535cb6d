import t from 'tap'
import { distrust, regainTrust } from '../../app/db/trust.ts'
import { asCustomer, listenTestApp, until } from '../helper.ts'
import {
  a,
  b,
  bypass,
  database,
  getStatus,
  isDistrusted,
  keep,
  onA,
  onB,
  one,
  owner,
  probeRound,
  recover,
  run,
} from './distrust-stage.ts'

t.test('a difference on one instance corrects the answers of all', async (t) => {
  t.teardown(recover)
  const path = '/v1/products/p-1'
  await keep(onA, path)
  await keep(onB, path)
  await bypass('products', `update products set name = 'bypassed' where id = 'p-1'`)
  t.equal((await onB(path)).json().data.name, 'first', 'the wrong answer')
  t.ok((await probeRound(a)).includes('different'))
  await until('b knows it', () => isDistrusted(b, 'products'))
  t.equal((await onA(path)).json().data.name, 'bypassed')
  t.equal((await onB(path)).json().data.name, 'bypassed')
  t.match(await getStatus(onB, path), /^certdata; hit; detail=distrusted$/)
  t.match(await getStatus(onB, '/v1/products?limit=1'), /^certdata; fwd=uri-miss; stored; detail=distrusted$/)
  t.match(await getStatus(onB, '/v1/products/none'), /detail=distrusted/, 'also a 404')
  t.notMatch(await getStatus(onB, '/v1/lab'), /distrusted/)
})

const rename = `update products set name = name || '!' where id = 'p-1'`
const kinds = {
  'a record': { path: '/v1/products/p-1', change: rename },
  'a page': { path: '/v1/products?sort=-name', change: rename },
  'an included record': { path: '/v1/certificates?include=product', change: rename },
}

for (const [kind, { path, change }] of Object.entries(kinds))
  t.test(`the probe finds ${kind}`, async (t) => {
    t.teardown(recover)
    await run(rename)
    await keep(onA, path)
    const { statusCode, body } = await onA(path)
    t.equal(statusCode, 200)
    await bypass('products', change)
    t.equal((await onA(path)).body, body, 'the wrong answer')
    t.ok((await probeRound(a)).includes('different'))
    t.not((await onA(path)).body, body)
  })

t.test('the probe finds a country whose approvals have changed', async (t) => {
  t.teardown(recover)
  await run(`insert into approvals (customer_id, id, product_id, country_code, scheme, status)
    values ('acme', 'a-1', 'p-1', 'QQ', 'S', 'granted')`)
  await keep(onA, '/v1/countries/QQ')
  t.equal((await onA('/v1/countries/QQ')).json().data.approval_info.granted, 1)
  await bypass('approvals', `update approvals set status = 'on_hold' where id = 'a-1'`)
  t.ok((await probeRound(a)).includes('different'))
  t.equal((await onA('/v1/countries/QQ')).json().data.approval_info.granted, 0)
})

t.test('the edge sends no distrusted answer', async (t) => {
  const { app, origin } = await listenTestApp(database, { leaseMs: 60_000 })
  t.teardown(async () => {
    await app.close()
    await recover()
  })
  const { token } = await asCustomer(database, app, 'acme')
  const ask = async () => {
    const answer = await fetch(`${origin}/v1/products/p-2`, { headers: { authorization: `Bearer ${token}` } })
    return { status: answer.headers.get('cache-status'), body: await answer.text() }
  }
  for (let n = 0; n < 5; n++) await ask()
  const before = app.edgeAnswers
  t.ok(before > 0, 'the edge answers')
  await bypass('products', `update products set name = 'bypassed' where id = 'p-2'`)
  t.ok((await probeRound(app)).includes('different'))
  const answers = [await ask(), await ask(), await ask()]
  t.ok(answers.every(({ body }) => body.includes('bypassed')))
  t.ok(answers.every(({ status }) => status?.endsWith('detail=distrusted')))
  t.equal(app.edgeAnswers, before)
})

t.test('a request with no-cache reads the database, because polls miss the changes', async (t) => {
  t.teardown(recover)
  await distrust(database.reserved, ['products'])
  await until('a knows it', () => isDistrusted(a, 'products'))
  await keep(onA, '/v1/products/p-1')
  await bypass('products', `update products set name = 'unlogged' where id = 'p-1'`)
  t.equal((await one.get('/v1/products/p-1')).json().data.name, 'unlogged')
})

t.test('the end invalidates answers that were stored during the distrust', async () => {
  await run('drop trigger products_log_update on products')
  await distrust(database.reserved, ['products'])
  await until('a knows it', () => isDistrusted(a, 'products'))
  await keep(onA, '/v1/products/p-1')
  await run(`update products set name = 'in between' where id = 'p-1'`)
  const { faults, ended } = await regainTrust(owner)
  t.equal(faults.length, 1)
  t.same(ended, [], 'a trigger is missing')
  t.ok(isDistrusted(a, 'products'))
  const statement = /`(.*)`/s.exec(String(faults[0]))?.[1]
  await run(String(statement))
  const { ended: now } = await recover()
  t.match(now, [{ resource: 'products', history_from: /^20/ }], 'the statement of the fault repairs it')
  t.equal((await onA('/v1/products/p-1')).json().data.name, 'in between')
  t.equal(await getStatus(onA, '/v1/products/p-1'), 'certdata; hit')
})
