import pg from 'pg'
import t from 'tap'
import type { AuditEntry } from '../../app/audit/list.ts'
import { createCommandLine } from '../command-line.ts'
import { testPostgres, testRedis } from '../servers.ts'
import { startService, untilReady } from '../service.ts'

const server = await testPostgres()
const redis = await testRedis()
const superuser = new pg.Client({ connectionString: server.url })
await superuser.connect()
t.teardown(async () => {
  await superuser.end()
  await server.stop()
  await redis?.stop()
})
const env = {
  DATABASE_URL: server.url,
  SECRET_KEY: 's'.repeat(40),
  DATA_DIR: t.testdir(),
  LOG_LEVEL: 'trace',
  ...(redis ? { REDIS_URL: redis.url } : {}),
}
const { cli, json } = createCommandLine(env)

await cli('migrate')
await json('customers', 'add', 'geheimkunde', '--name', 'Geheimname GmbH', '--plan', 'premium')
const { api_key: apiKey, key_id: keyId } = await json('keys', 'issue', 'geheimkunde')

let log = ''
const heads = () => [...log.matchAll(/"head":"(\d+:[\w-]{43})"/g)].map((match) => match[1] as string)

t.test('a varied session leaves no token, key, name or value in the log', async (t) => {
  const service = await startService(env)
  await untilReady(service)
  const ask = (path: string, init: RequestInit = {}) => fetch(service.base + path, init)
  const login = (body: string, headers = { 'content-type': 'application/json' } as Record<string, string>) =>
    ask('/v1/auth/login', { method: 'POST', headers, body })
  const entered = await login(JSON.stringify({ api_key: apiKey }))
  t.equal(entered.status, 200)
  const { access_token: token } = (await entered.json()) as { access_token: string }
  const basic = Buffer.from(`${keyId}:${apiKey}`).toString('base64')
  const authorization = `Bearer ${token}`
  const signature = token.split('.')[2] as string
  const requests: [string, RequestInit?][] = [
    ['/v1/auth/login', { method: 'POST', headers: { authorization: `Basic ${basic}` } }],
    ['/v1/auth/login', { method: 'POST', body: `{"api_key":"${apiKey}` }],
    ['/v1/certificates?number=Geheimwert&limit=2', { headers: { authorization } }],
    ['/v1/certificates/Geheimwert', { headers: { authorization } }],
    ['/v1/certificates?Geheimwert[lt]=Geheimwert', { headers: { authorization } }],
    ['/v1/products?name=Geheimwert', { headers: { authorization } }],
    ['/v1/Geheimwert', { headers: { authorization } }],
    ['/v1/me', { headers: { authorization } }],
    ['/v1/me', { headers: { authorization: `Bearer ${token.slice(0, -4)}AAAA` } }],
    ['/v1/me', { headers: { authorization: 'Bearer cda_demo_public' } }],
    [`/v1/me?access_token=${token}`],
    [`/v1/certificates?api_key=${apiKey}`],
    ['/v1/certificates', { method: 'POST', headers: { authorization }, body: 'Geheimwert' }],
    ['/v1/certificates', { headers: { authorization, accept: 'Geheim/wert' } }],
    ['/v1/certificates?cursor=Geheimwert', { headers: { authorization } }],
    ['/v1/%ZZGeheimwert', { headers: { authorization } }],
    [`/v1/certificates?tags=${'Geheimwert'.repeat(900)}`, { headers: { authorization } }],
  ]
  const statuses: number[] = []
  for (const [path, init] of requests) statuses.push((await ask(path, init)).status)
  t.ok(
    [200, 400, 401, 404, 405, 406].every((status) => statuses.includes(status)),
    statuses.join(' '),
  )
  t.equal((await login(JSON.stringify({ api_key: `${apiKey}x` }))).status, 401)
  await superuser.query('alter table certificates rename to gone')
  const failing = await ask('/v1/certificates?holder[null]=true&number=Geheimwert', {
    headers: { authorization },
  })
  await superuser.query('alter table gone rename to certificates')
  t.ok(failing.status >= 400)
  // PostgreSQL's error message contains a value that it cannot convert.
  await superuser.query(`insert into lab (customer_id, id, report_number, title, status)
    values ('geheimkunde', 'r', 'r', 'r', 'issued')`)
  await superuser.query(`create policy spoilt on lab as restrictive for select to certdata_reader
    using (('Geheimwert' || customer_id)::integer > 0)`)
  const repeating = await ask('/v1/lab', { headers: { authorization } })
  await superuser.query('drop policy spoilt on lab')
  t.equal(repeating.status, 500)
  t.equal(await service.stop(), 0)
  log = service.output()
  t.match(log, /"msg":"answered"/, 'it does log')
  t.match(log, /"message":"PostgreSQL: ERROR 22P02"/, 'and says what failed')

  const [, secret = ''] = new RegExp(`${keyId}_(.+)$`).exec(apiKey) ?? []
  const forbidden = [apiKey, secret, token, signature, basic, 'cda_demo_public', 'Geheim', 'geheim', keyId]
  for (const text of [...forbidden, env.SECRET_KEY]) t.notOk(log.includes(text), `no ${text.slice(0, 16)}…`)
})

t.test('the request id in the log leads to its entry', async (t) => {
  const entries: AuditEntry[] = await json('audit', 'list', '--customer', 'geheimkunde', '--limit', '100')
  const login = entries.find(({ action, outcome }) => action === 'login' && outcome === 'ok')
  t.match(login, { actor: keyId, client: /^(127\.0\.0\.0\/24|0:0:0::\/48)$/ })
  t.ok(log.includes(login?.request_id ?? '-'))
})

t.test('every command of the operator is recorded with its effect', async (t) => {
  await json('customers', 'set-plan', 'geheimkunde', 'enterprise')
  await json('customers', 'suspend', 'geheimkunde')
  await json('customers', 'resume', 'geheimkunde')
  await json('customers', 'settings', 'geheimkunde', '--expiring-within', '30')
  await json('customers', 'show', 'geheimkunde')
  const { key_id: second } = await json('keys', 'issue', 'geheimkunde', '--scopes', 'lab:read')
  await json('keys', 'revoke', second, '--yes')
  await json('keys', 'list', 'geheimkunde')
  await json('customers', 'list')
  const refused = await cli('customers', 'add', 'geheimkunde')
  t.equal(refused.code, 1)
  const entries: AuditEntry[] = await json('audit', 'list', '--limit', '1000')
  const acts = entries
    .filter(({ actor }) => actor === 'operator')
    .map(({ action, customer, subject, details }) => ({ action, customer, subject, details }))
    .reverse()
  const own = { customer: 'geheimkunde', subject: null }
  const scopes = ['lab:read']
  t.match(acts, [
    { action: 'migrate', customer: null },
    { ...own, action: 'customers.add', details: { plan: 'premium' } },
    {
      ...own,
      action: 'keys.issue',
      subject: keyId,
      details: { scopes: ['*', 'account:read'], expires_at: null },
    },
    { ...own, action: 'audit.list' },
    { ...own, action: 'customers.set-plan', details: { plan: 'enterprise' } },
    { ...own, action: 'customers.suspend' },
    { ...own, action: 'customers.resume' },
    { ...own, action: 'customers.settings', details: { expiring_within: 30 } },
    { ...own, action: 'customers.show' },
    { ...own, action: 'keys.issue', subject: second, details: { scopes } },
    { ...own, action: 'keys.revoke', subject: second },
    { ...own, action: 'keys.list' },
    { action: 'customers.list', customer: null },
  ])
  t.equal(acts.length, 13, 'and what was refused changed nothing')
  const since = await json('audit', 'list', '--since', '2999-01-01')
  t.same(since, [])
})

t.test('only a published head reveals a cut tail', async (t) => {
  t.ok(heads().length > 0, 'heads are in the log')
  const head = heads().at(-1) as string
  const whole = await cli('audit', 'verify', '--head', head, '--json')
  t.equal(whole.code, 0)
  t.match(JSON.parse(whole.stdout), { ok: true, first_bad: null, compared_with: head })
  const cut = Number.parseInt(head, 10) - 1
  await superuser.query(`delete from audit_entries e using audit_seals s
    where s.entry_id = e.entry_id and s.seal_no >= ${cut}`)
  await superuser.query(`delete from audit_seals where seal_no >= ${cut}`)
  // An attacker can also adapt the copies. Only a head from the log reveals this.
  await superuser.query('delete from audit_copies where entry_id not in (select entry_id from audit_seals)')
  const blind = await cli('audit', 'verify')
  t.match(blind, { code: 0, stdout: /give the newest head from the log/ })
  const seeing = await cli('audit', 'verify', '--head', head, '--json')
  t.equal(seeing.code, 1)
  t.match(JSON.parse(seeing.stdout), { ok: false, first_bad: { seal: cut, reason: /cut/ } })
})

t.test('an edit is exit code 1 with the first bad entry, and stops a pruning', async (t) => {
  await superuser.query(`update audit_entries set actor = 'system' where entry_id = 2`)
  const { code, stdout } = await cli('audit', 'verify', '--json')
  t.equal(code, 1)
  t.match(JSON.parse(stdout), { ok: false, first_bad: { entry: 2, reason: /changed/ } })
  const pruned = await cli('audit', 'prune', '--before', '2999-01-01', '--yes')
  t.match(pruned, { code: 1, stdout: /^$/, stderr: /Nothing pruned: entry 2/ })
  await superuser.query(`update audit_entries set actor = 'operator' where entry_id = 2`)
  t.match(await json('audit', 'prune', '--before', '2999-01-01', '--yes'), {
    pruned: Number,
    through: Number,
  })
  t.match(await json('audit', 'verify'), { ok: true, verified: 0 })
  t.match(await cli('audit', 'verify', '--head', `1:${'A'.repeat(43)}`), { code: 1, stderr: /was pruned/ })
})

t.test('wrong options are exit code 2', async (t) => {
  const commands = [
    ['audit'],
    ['audit', 'prune', '--before', 'yesterday'],
    ['audit', 'verify', '--head', '1'],
    ['audit', 'list', '--limit', '0'],
    ['audit', 'list', '--since', '2026-13-01'],
  ]
  for (const command of commands) t.match(await cli(...command), { code: 2, stdout: /^$/ }, command.join(' '))
})
