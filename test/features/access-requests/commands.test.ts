import { sql } from 'kysely'
import t from 'tap'
import { createCommandLine } from '../../command-line.ts'
import {
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  logIn,
  publicUrl,
} from '../../helper.ts'
import { eraseCustomer, exportCustomer, withoutPersonalData } from '../../personal-data.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)
const { operator } = database
const env = {
  DATABASE_URL: database.url,
  SECRET_KEY: 's'.repeat(40),
  DATA_DIR: t.testdir(),
  PUBLIC_URL: publicUrl,
  ACCESS_REQUEST_DAYS: '20',
}
const { cli, json } = createCommandLine(env, 'requests')
const submit = async (company: string): Promise<string> => {
  const [name, email] = [`Contact of ${company}`, 'contact@geheim.example']
  const payload = { company, name, email, message: `Geheim,\nsays ${company}`, consent: true }
  const answer = await app.inject({ method: 'POST', url: '/v1/access-requests', payload })
  return answer.json().id
}
const readStatus = async (id: string) =>
  (await json('list')).find((request: { id: string }) => request.id === id)?.status
const customers = async () =>
  await operator
    .selectFrom('customers')
    .select(['customer_id', 'name', 'plan'])
    .orderBy('customer_id')
    .execute()
const acts = async () => {
  const { rows } = await sql<{ action: string; personal: Record<string, unknown> }>`
    select e.action, p.personal from audit_entries e join audit_persons p using (entry_id)
    where e.actor = 'operator' order by entry_id`.execute(operator)
  return rows
}

t.test('requests are listed, open ones first and overdue ones marked', async (t) => {
  t.match(await cli('list'), { code: 0, stdout: /no requests/ })
  const [first, second] = [await submit('First GmbH'), await submit('Second GmbH')]
  await sql`update access_requests set due_at = now() - interval '1 second' where request_id = ${second}`.execute(
    operator,
  )
  const listed = await json('list')
  t.match(listed, [
    { id: second, status: 'open', overdue: true, company: 'Second GmbH', customer: null, decided_at: null },
    { id: first, status: 'open', overdue: false, message: 'Geheim,\nsays First GmbH' },
  ])
  const { stdout } = await cli('list', '--wide')
  t.match(stdout, /Geheim, says First GmbH/, 'a line each')
  t.equal(stdout.trimEnd().split('\n').length, 3)
})

t.test('an approved request is a customer with a key that works', async (t) => {
  const id = await submit('Ärzte & Weiß GmbH')
  const approved = await json('approve', id)
  t.match(approved, { id, customer: 'aerzte-weiss-gmbh', plan: 'premium', link_expires_at: /Z$/ })
  const fields = ['id', 'customer', 'contact', 'email', 'plan', 'key_id', 'link', 'link_expires_at', 'scopes']
  t.strictSame(Object.keys(approved), fields)
  const { origin, hash } = new URL(approved.link)
  t.equal(origin, publicUrl)
  const payload = { secret: hash.slice(1) }
  const shown = await app.inject({ method: 'POST', url: '/key', headers: { origin }, payload })
  const { get } = await logIn(app, shown.json().api_key)
  t.match((await get('/v1/me')).json(), { data: { customer: 'aerzte-weiss-gmbh', plan: 'premium' } })
  const known = { customer_id: 'aerzte-weiss-gmbh', name: 'Ärzte & Weiß GmbH', plan: 'premium' }
  t.same(await customers(), [known])
  t.equal(await readStatus(id), 'approved')
  t.match(await acts(), [
    ...Array.from({ length: 3 }, () => ({ action: 'requests.list' })),
    { action: 'requests.approve', personal: { customer: known.customer_id, subject: id } },
    { action: 'customers.add', personal: { customer: known.customer_id, details: { plan: 'premium' } } },
    { action: 'keys.issue', personal: { customer: known.customer_id, subject: approved.key_id } },
  ])
  t.match(await cli('approve', id), { code: 1, stdout: '', stderr: `no open request ${id}` })
  t.match(await cli('reject', id, '--reason', 'x'), { code: 1, stderr: `no open request ${id}` })
  t.match(await cli('approve', 'nothing'), { code: 1, stderr: /: see certdata requests list/ })
})

t.test('slug, name and plan are options; an existing customer is never changed', async (t) => {
  const id = await submit('Ärzte & Weiß GmbH')
  const before = await customers()
  t.match(await cli('approve', id), {
    code: 1,
    stdout: '',
    stderr: /customer aerzte-weiss-gmbh exists already.*--slug/,
  })
  t.match(await cli('approve', id, '--slug', 'demo'), { code: 1, stderr: /example data/ })
  t.same(await customers(), before, 'what is refused changes nothing')
  t.equal(await readStatus(id), 'open')
  const options = ['--slug', 'praxis', '--name', 'Praxis', '--plan', 'enterprise']
  t.match(await json('approve', id, ...options), { customer: 'praxis', plan: 'enterprise' })
  t.match(await customers(), [{}, { customer_id: 'praxis', name: 'Praxis', plan: 'enterprise' }])
  const nameless = await submit('株式会社')
  t.match(await cli('approve', nameless), { code: 1, stderr: /cannot become a slug/ })
  t.match(await json('reject', nameless), { id: nameless, reason: null }, 'a reason is optional')
})

t.test('a decision names the visitor, whom the operator informs', async (t) => {
  const visitor = { contact: 'Contact of Visitor KG', email: 'contact@geheim.example' }
  const { stdout } = await cli('approve', await submit('Visitor KG'))
  t.match(stdout, `Send the link to ${visitor.contact} <${visitor.email}>.`)
  t.match(await json('reject', await submit('Visitor KG')), visitor)
})

t.test('a slug spells umlauts as Germans do, and other letters without their marks', async (t) => {
  for (const [company, customer] of [
    ['Alpenmess Müller OHG', 'alpenmess-mueller-ohg'],
    ['STRAẞE Ölwerk', 'strasse-oelwerk'],
    ['Gru\u0308n AG', 'gruen-ag'],
    ['Éclair Señor Łódź', 'eclair-senor-odz'],
  ] as const)
    t.match(await json('approve', await submit(company)), { customer })
})

t.test('a wrong command line is exit code 2, and changes nothing', async (t) => {
  const before = await customers()
  for (const words of ['', 'approve', 'reject', 'approve x --plan basic', 'approve x --slug A']) {
    const result = await cli(...words.split(' ').filter((word) => word !== ''))
    t.match(result, { code: 2, stdout: /^$/, stderr: /./ }, `certdata requests ${words}`)
  }
  t.same(await customers(), before)
})

t.test('of two concurrent approvals, one succeeds', async (t) => {
  const id = await submit('Twice')
  const results = await Promise.all(['one', 'two'].map((slug) => cli('approve', id, '--slug', slug)))
  t.same(results.map(({ code }) => code).sort(), [0, 1])
  const made = (await customers()).filter(({ customer_id }) => /^(one|two)$/.test(customer_id))
  t.equal(made.length, 1)
})

t.test('a rejected request keeps its reason, and the audit trail does not have it', async (t) => {
  const id = await submit('Rejected GmbH')
  t.match(await json('reject', id, '--reason', 'Frau Geheim rief an'), { id, decided_at: /Z$/ })
  const [request] = (await json('list')).filter((each: { id: string }) => each.id === id)
  t.match(request, { status: 'rejected', reason: 'Frau Geheim rief an', overdue: false })
  const entries = await acts()
  t.match(
    entries.findLast(({ action }) => action === 'requests.reject'),
    { personal: { subject: id } },
  )
  t.notMatch(JSON.stringify(entries), /Geheim|geheim/)
  t.match(await cli('approve', id), { code: 1, stderr: /no open request/ })
})

t.test('listing deletes old requests', async (t) => {
  const [old, kept] = [await submit('Old'), await submit('Kept')]
  await sql`update access_requests set created_at = now() - interval '21 days' where request_id = ${old}`.execute(
    operator,
  )
  t.same([await readStatus(old), await readStatus(kept)], [undefined, 'open'])
  const expired = (await acts()).filter(({ action }) => action === 'requests.expire')
  t.match(expired, [{ personal: { details: { count: 1 } } }])
})

t.test('a request is exported and erased with its customer', { skip: withoutPersonalData }, async (t) => {
  const id = await submit('Telltale Holding')
  const { customer } = await json('approve', id)
  const { approved_requests: requests } = await exportCustomer(database, customer)
  t.match(requests, [{ request_id: id, email: 'contact@geheim.example', message: /says Telltale/ }])
  const erased = await eraseCustomer(database, customer)
  t.match(erased, { rows: { approved_requests: 1, customers: 1, key_links: 1 } })
  const tables = await sql<{ name: string }>`select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'kysely%'`.execute(
    operator,
  )
  const owner = connectOwner(database)
  t.teardown(() => owner.destroy())
  for (const { name } of tables.rows) {
    const { rows: all } = await sql<{ row: string }>`
      select row_to_json(x)::text as row from ${sql.table(name)} x`.execute(owner)
    t.notMatch(JSON.stringify(all), /[Tt]elltale/, name)
  }
})
