import pg from 'pg'
import t, { type Test } from 'tap'
import { runCommandLine } from '../../app/command-line/command-line.ts'
import { createCommand, createGroup, formatFields, type Shell } from '../../app/command-line/shell.ts'
import { formatTable } from '../../app/command-line/table.ts'
import { variables } from '../../app/config/variables.ts'
import { parseApiKey } from '../../app/identity/api-keys.ts'
import { type RunOptions, run } from '../command-line.ts'
import { testPostgres } from '../servers.ts'

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/** Opens a new database and the command line on it. */
const openCli = async (t: Test) => {
  const server = await testPostgres()
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  t.teardown(async () => {
    await client.end()
    await server.stop()
  })
  const env = { DATABASE_URL: server.url, DATA_DIR: t.testdir() }
  const cli = (args: string, options: RunOptions = {}) =>
    run(args.split(' '), { ...options, env: { ...env, ...options.env } })
  const json = async (args: string, options?: RunOptions) => {
    const { stdout, stderr, code } = await cli(`${args} --json`, options)
    if (stdout === '') throw new Error(`${args}: exit code ${code}: ${stderr}`)
    return JSON.parse(stdout)
  }
  const query = async (text: string) => (await client.query(text)).rows
  return { url: server.url, cli, json, query }
}

t.test('on one database', async (t) => {
  const { url, cli, json, query } = await openCli(t)

  await t.test('every command except migrate is refused until the schema exists', async (t) => {
    for (const command of ['customers list', 'keys list']) {
      const { code, stdout, stderr } = await cli(command)
      t.match({ code, stdout }, { code: 1, stdout: '' }, command)
      t.match(stderr, /run certdata migrate first/)
    }
    t.same(await query(`select relname from pg_class where relnamespace = 'public'::regnamespace`), [])
  })

  await t.test('migrate creates schema, reference data and a signing key, once', async (t) => {
    const first = await json('migrate')
    t.ok(first.migrations.length > 0)
    t.equal(first.reference_data, 'loaded')
    t.same(await query('select count(*)::integer as n from countries'), [{ n: 99 }])
    t.same(await query('select state from signing_keys order by 1'), [{ state: 'active' }, { state: 'next' }])
    t.same(await json('migrate'), {
      migrations: [],
      repaired: [],
      faults: [],
      ended: [],
      reference_data: 'up_to_date',
    })
    t.same(await query('select count(*)::integer as n from signing_keys'), [{ n: 2 }])
  })

  await t.test('migrate of an older release does not change a newer schema', async (t) => {
    await query(`insert into kysely_migration values ('9999-of-a-later-version', '2026-11-22T00:00:00Z')`)
    t.same(await json('migrate'), {
      migrations: [],
      repaired: [],
      faults: [],
      ended: [],
      reference_data: 'up_to_date',
    })
    t.equal((await cli('customers list')).code, 0)
    await query(`delete from kysely_migration where name like '9999%'`)
  })

  await t.test('customers add and keys issue create a working key', async (t) => {
    const customer = await json('customers add acme --name Acme --plan premium')
    t.match(customer, {
      customer: 'acme',
      name: 'Acme',
      plan: 'premium',
      suspended_at: null,
      created_at: instant,
    })
    await query(`insert into custom_endpoints (name, to_everyone) values ('dashboard', true);
      insert into custom_documents (name, revision, document) values ('dashboard', 1, '{}')`)
    const issued = await json('keys issue acme')
    t.strictSame(Object.keys(issued), ['key_id', 'api_key', 'customer', 'name', 'scopes', 'expires_at'])
    t.match(issued, { customer: 'acme', expires_at: null })
    t.ok(issued.scopes.includes('certificates:read'))
    t.ok(issued.scopes.includes('custom:dashboard'), 'custom endpoints are named one by one')
    const parsed = parseApiKey(issued.api_key)
    t.equal(parsed?.keyId, issued.key_id)
    const [stored] = await query('select scopes, secret_sha256 from api_keys')
    t.same(stored.scopes, ['*', 'account:read'], 'scopes to come are included')
    t.notOk(JSON.stringify(await query('select * from api_keys')).includes(parsed?.secret ?? ''))
    t.equal(stored.secret_sha256.length, 32)
  })

  await t.test('a key may be limited in scopes and time', async (t) => {
    const scopes = 'certificates:read,changes:read,custom:dashboard'
    const key = await json(`keys issue acme --scopes ${scopes} --expires 2099-12-31`)
    t.strictSame(key.scopes, scopes.split(','))
    t.equal(key.expires_at, '2100-01-01T00:00:00.000000Z', 'the day itself counts')
    const instantKey = await json('keys issue acme --expires 2099-12-31T12:00:00+02:00')
    t.equal(instantKey.expires_at, '2099-12-31T10:00:00.000000Z')
    const unknown = await cli('keys issue acme --scopes custom:dashbord')
    t.match(unknown, { code: 1, stderr: /not granted .*did you mean custom:dashboard\?/ })
    const many = Array.from({ length: 101 }, (_, n) => `custom:n${n}`).join()
    const wrong = [
      [`--scopes ${many}`, /at most 100 scopes/],
      ['--scopes certificates:raed', /did you mean certificates:read/],
      ['--scopes all', /expected .*custom:<name>/],
      ['--expires 2020-01-01', /a time in the future/],
      ['--expires 9999-12-31', /a year from 1 to 9999/],
      ['--expires soon', /a day such as .* or a time from now such as 90d/],
      ['--expires 2099-12-31T12:00:00', /time zone/],
    ] as const
    await Promise.all(
      wrong.map(async ([option, reason]) => {
        t.match(await cli(`keys issue acme ${option}`), { code: 2, stderr: reason }, option)
      }),
    )
  })

  await t.test('lists keys without their secrets and revokes them permanently', async (t) => {
    const keys = await json('keys list acme')
    t.equal(keys.length, 3)
    t.notOk(JSON.stringify(keys).includes('secret'))
    const revoked = await json(`keys revoke ${keys[0].key_id} --yes`)
    t.match(revoked.revoked_at, instant)
    t.equal((await json(`keys revoke ${keys[0].key_id} --yes`)).revoked_at, revoked.revoked_at)
    t.match(await cli('keys revoke nosuchkey'), {
      code: 1,
      stderr: /no key nosuchkey: see certdata keys list/,
    })
    t.match(await cli('keys list nobody'), {
      code: 1,
      stderr: /no customer nobody: see certdata customers list/,
    })
    t.match(await cli('keys issue nobody'), { code: 1, stderr: /no customer nobody/ })
    t.match(await cli('keys rotate nosuchkey'), { code: 1, stderr: /See certdata keys list/ })
  })

  await t.test(
    'a rotated key has the limits of the previous key, which expires after the overlap',
    async (t) => {
      const limits = '--scopes lab:read --expires 2099-12-31'
      const [limited, endless] = await Promise.all([
        json(`keys issue acme ${limits}`),
        json('keys issue acme'),
      ])
      const [first, second] = await Promise.all([
        json(`keys rotate ${limited.key_id}`),
        json(`keys rotate ${endless.key_id} --overlap 90m`),
      ])
      t.match(first, { customer: 'acme', scopes: ['lab:read'], former_key_id: limited.key_id })
      t.equal(parseApiKey(first.api_key)?.keyId, first.key_id)
      const daysUntil = (instant: string) => (Date.parse(instant) - Date.now()) / 86_400_000
      t.equal(Math.round(daysUntil(first.former_expires_at)), 7, 'both work for a week')
      const difference = daysUntil(first.expires_at) - daysUntil(limited.expires_at)
      t.ok(Math.abs(difference) < 0.01, 'as long a life as before')
      t.equal(second.expires_at, null)
      const minutes = daysUntil(second.former_expires_at) * 1440
      t.ok(minutes > 85 && minutes <= 90, 'or for as long as is said')
      const [stored] = await query(`select scopes from api_keys where key_id = '${second.key_id}'`)
      t.same(stored.scopes, ['*', 'account:read'], 'scopes to come are included, as before')

      await json(`keys rotate ${second.key_id} --overlap 0s`)
      const before = await query('select * from api_keys order by key_id')
      const refused = [limited.key_id, second.key_id, 'nosuchkey'].map(async (gone) => {
        t.match(await cli(`keys rotate ${gone}`), { code: 1, stderr: /no valid key \w+/ }, gone)
      })
      const wrong = await cli(`keys rotate ${first.key_id} --overlap 1w`)
      t.match(wrong, { code: 2, stderr: /such as 30m/ })
      await Promise.all(refused)
      t.same(await query('select * from api_keys order by key_id'), before, 'what is refused changes nothing')
    },
  )

  await t.test('a key may be limited to networks, which its successor keeps', async (t) => {
    const { key_id } = await json('keys issue acme')
    const limited = await json(`keys networks ${key_id} 203.0.113.0/24 2001:DB8::/32 ::ffff:192.0.2.1`)
    t.strictSame(limited.networks, ['203.0.113.0/24', '2001:db8::/32', '192.0.2.1/32'])
    const listed = await json('keys list acme')
    t.match(
      listed.find((key: { key_id: string }) => key.key_id === key_id),
      { networks: limited.networks },
    )
    t.match(await cli('keys list acme --wide'), { stdout: /203\.0\.113\.0\/24 2001:db8::\/32/ })
    const [entry] = await json('audit list --limit 100').then((entries: { action: string }[]) =>
      entries.filter(({ action }) => action === 'keys.networks'),
    )
    t.match(entry, { customer: 'acme', subject: key_id, details: { networks: limited.networks } })
    const rotated = await json(`keys rotate ${key_id}`)
    const [stored] = await query(`select networks::text[] from api_keys where key_id = '${rotated.key_id}'`)
    t.strictSame(stored.networks, limited.networks)
    t.equal((await json(`keys networks ${key_id} --anywhere`)).networks, null)
    const wrong = [
      ['203.0.113.5/24', /bits after its prefix/],
      ['here', /such as 203\.0\.113\.0\/24/],
      ['', /name the networks of the key, or --anywhere/],
      ['203.0.113.0/24 --anywhere', /name the networks of the key, or --anywhere/],
      [Array.from({ length: 101 }, (_, n) => `10.0.0.${n}`).join(' '), /at most 100 networks/],
    ] as const
    for (const [words, reason] of wrong) {
      t.match(await cli(`keys networks ${key_id} ${words}`.trim()), { code: 2, stderr: reason }, words)
    }
    t.match(await cli('keys networks nosuchkey 10.0.0.0/8'), { code: 1, stderr: /no key nosuchkey/ })
  })

  await t.test('signing keys rotate once the next one has been published for long enough', async (t) => {
    const listStates = (keys: { state: string }[]) => keys.map((key) => key.state).sort()
    await query('update signing_keys set created_at = now()')
    const otherSecret = { env: { SECRET_KEY: 'o'.repeat(32) } }
    const [listed, early, foreign] = await Promise.all([
      json('signing-keys list'),
      cli('signing-keys rotate'),
      cli('signing-keys rotate --now', otherSecret),
    ])
    t.strictSame(listStates(listed), ['active', 'next'])
    t.match(early, { code: 1, stderr: /published \d+ s ago.*wait \d+ s/ })
    t.match(foreign, { code: 1, stderr: /cannot be opened: it was sealed with another SECRET_KEY/ })
    await query(`update signing_keys set created_at = created_at - interval '5 minutes'`)
    t.strictSame(listStates(await json('signing-keys rotate')), ['active', 'next', 'retiring'])
    await query(`update signing_keys set tokens_until = now() - interval '1 hour' where state = 'retiring'`)
    t.strictSame(listStates(await json('signing-keys list')), ['active', 'gone', 'next'])
    await query(`update signing_keys set created_at = created_at - interval '5 seconds'`)
    t.equal((await json('signing-keys rotate --now')).length, 3, 'what is gone is deleted')
  })

  await t.test('plans, suspension and settings change only the named values', async (t) => {
    const before = await json('customers show acme')
    t.match(await json('customers set-plan acme enterprise'), { plan: 'enterprise', suspended_at: null })
    const suspended = await json('customers suspend acme')
    t.match(suspended.suspended_at, instant)
    t.equal((await json('customers suspend acme')).suspended_at, suspended.suspended_at)
    t.match(await json('customers resume acme'), { suspended_at: null, plan: 'enterprise' })
    t.same(await json('customers settings acme'), { customer: 'acme', expiring_within: 90 })
    t.same(await json('customers settings acme --expiring-within 30'), {
      customer: 'acme',
      expiring_within: 30,
    })
    t.same(await json('customers show acme'), { ...before, plan: 'enterprise', expiring_within: 30 })
    t.match((await cli('customers show acme')).stdout, /expiring_within +30 days\n/)
    t.match(formatFields({ overlap_seconds: 604_800, a_seconds: 90 }), /7 days\n.*90 seconds/)
    await Promise.all(
      ['show nobody', 'suspend nobody', 'settings nobody', 'set-plan nobody premium'].map(async (command) => {
        t.match(await cli(`customers ${command}`), { code: 1, stderr: /no customer nobody/ }, command)
      }),
    )
  })

  await t.test('a customer can be added once, and the example customer never', async (t) => {
    t.match(await cli('customers add acme'), { code: 1, stderr: /customer acme exists already/ })
    t.match(await cli('customers add demo'), { code: 1, stderr: /example data/ })
    t.match(await cli('keys issue demo'), { code: 1, stderr: /no keys/ })
    t.match(await json('customers add plain'), { name: 'plain', plan: 'basic' })
    t.strictSame(
      (await json('customers list')).map((each: { customer: string }) => each.customer),
      ['acme', 'demo', 'plain'],
    )
  })

  await t.test('a wrong command line is exit code 2, and changes nothing', async (t) => {
    const commands = [
      '',
      'nonsense',
      'customers',
      'customers nonsense',
      'customers add',
      'customers add Acme',
      'customers add b --plan gold',
      'customers list --nonsense',
      'customers settings acme --expiring-within 366',
      'customers settings acme --expiring-within 1.5',
      'customers settings acme --expiring-within 1e2',
      'audit list --limit 1e2',
      'keys issue',
      'keys rotate',
      'signing-keys nonsense',
    ]
    const before = await query('select * from customers order by 1')
    const env = { DATABASE_URL: url }
    await Promise.all(
      commands.map(async (command) => {
        const words = command.split(' ').filter((word) => word !== '')
        t.match(await run(words, { env }), { code: 2, stdout: /^$/, stderr: /./ }, `certdata ${command}`)
      }),
    )
    t.same(await query('select * from customers order by 1'), before)
    const range = { code: 2, stderr: /expected a number of days from 1 to 365/ }
    t.match(await cli('customers settings acme --expiring-within 0'), range)
    t.match(await cli('audit list --limit 0'), { code: 2, stderr: /expected a number from 1 to 100000/ })
  })

  await t.test('with --json, a refusal is also an object on standard output', async (t) => {
    const refusals: [command: string, code: number, error: RegExp, env?: Record<string, string>][] = [
      ['customers show nobody', 1, /^There is no customer nobody: see certdata customers list$/],
      ['customers list', 1, /does not answer/, { DATABASE_URL: 'postgresql://127.0.0.1:1/nothing' }],
      ['customers list', 2, /PORT/, { PORT: 'many' }],
      ['customers nonsense', 2, /^unknown command 'nonsense'/],
      ['customers add', 2, /^missing required argument/],
      ['keys list --nonsense', 2, /^unknown option '--nonsense'/],
    ]
    for (const [command, code, error, env] of refusals) {
      const options = env ? { env } : {}
      const [plain, told] = [await cli(command, options), await cli(`${command} --json`, options)]
      t.match(told, { code, stdout: /^.+\n$/, stderr: plain.stderr }, command)
      t.match(JSON.parse(told.stdout), { ok: false, error }, command)
      t.same(Object.keys(JSON.parse(told.stdout)), ['ok', 'error'])
      t.match(plain, { code, stdout: /^$/ }, `${command}, for people`)
    }
    t.match(await run(['customers', '--help', '--json']), { code: 0, stdout: /^Usage/ })
  })

  await t.test('the reason for an unreachable database is one line without the password', async (t) => {
    const env = { DATABASE_URL: 'postgresql://someone:geheim@127.0.0.1:1/nothing' }
    const { code, stderr } = await cli('customers list', { env })
    t.equal(code, 1)
    t.match(stderr, /^The database does not answer: .*127\.0\.0\.1:1\n$/)
    t.notMatch(stderr, /geheim/)
  })

  await t.test('the administrator’s login is preferred to the service’s', async (t) => {
    const env = { DATABASE_ADMIN_URL: url, DATABASE_URL: 'postgresql://127.0.0.1:1/nothing' }
    t.equal((await cli('customers list', { env })).code, 0)
  })

  await t.test('bad configuration is exit code 2 and names every variable', async (t) => {
    const env = { DATABASE_URL: 'mysql://x', PORT: 'many' }
    const { code, stderr } = await cli('customers list', { env })
    t.equal(code, 2)
    t.match(stderr, /PORT/)
    t.match(stderr, /DATABASE_URL/)
  })
})

t.test('every level has help, and requesting it is not an error', async (t) => {
  const levels = [
    '',
    'migrate',
    'customers',
    'customers add',
    'keys',
    'keys issue',
    'keys rotate',
    'signing-keys',
    'config',
  ]
  await Promise.all(
    levels.map(async (level) => {
      const words = level.split(' ').filter((word) => word !== '')
      t.match(await run([...words, '--help']), { code: 0, stdout: /^Usage: certdata/ }, level)
    }),
  )
  const { stdout } = await run(['--help'])
  for (const command of ['migrate', 'customers', 'keys', 'signing-keys', 'config']) t.match(stdout, command)
})

t.test('config lists every variable with its meaning and default, without a database', async (t) => {
  const { code, stdout } = await run(['config', '--json'])
  t.equal(code, 0)
  const listed = JSON.parse(stdout) as { name: string; description: string; default: string | null }[]
  t.strictSame(
    listed.map((variable) => variable.name),
    Object.keys(variables),
  )
  t.ok(listed.every((variable) => variable.description.length > 10))
  t.equal(listed.find((variable) => variable.name === 'PORT')?.default, '3000')
  t.equal(listed.find((variable) => variable.name === 'SECRET_KEY')?.default, null)
  t.match((await run(['config'])).stdout, /PORT=3000\n {4}Port/)
})

t.test('config names the missing variables of the house', async (t) => {
  const missing = /^Note: .* set OPERATOR_NAME, IMPRINT_URL, PRIVACY_URL\n$/
  for (const options of [[], ['--json']]) t.match((await run(['config', ...options])).stderr, missing)
  const env = { OPERATOR_NAME: 'House', IMPRINT_URL: 'https://house.example' }
  t.match((await run(['config'], { env })).stderr, /: set PRIVACY_URL\n$/)
  t.equal((await run(['config'], { env: { ...env, PRIVACY_URL: 'https://house.example' } })).stderr, '')
})

t.test('commands that destroy something ask first', async (t) => {
  const { cli, json, query } = await openCli(t)
  await cli('migrate')
  await json('customers add acme --plan premium')
  await query("insert into products (customer_id, id, name) values ('acme', 'P-100', 'Gateway')")
  const { key_id } = await json('keys issue acme')
  const destructive = [
    [`keys revoke ${key_id}`, /key \w+ of acme, never used, stops working/],
    ['audit prune --before 2999-01-01', /audit entries before 2999-01-01/],
  ] as const
  const count = async () =>
    query(`select (select count(*) from api_keys where revoked_at is null) as keys,
      (select count(*) from products) as products,
      (select count(*) from audit_seals) as seals`)
  const before = await count()
  for (const [command, consequence] of destructive) {
    const alone = await cli(command)
    t.match(alone, { code: 1, stdout: '', stderr: consequence }, command)
    t.match(alone.stderr, /Nothing was done: without a terminal, add --yes\n$/)
    for (const input of ['n\n', '\n', '', 'yesterday\n']) {
      const refused = await cli(command, { isWatched: true, input })
      t.match(refused, { code: 1, stdout: '', stderr: /Continue\? \[y\/N\] Nothing was done\n$/ }, command)
      t.match(refused.stderr, consequence)
    }
  }
  t.same(await count(), before)
  const revoked = await cli(`keys revoke ${key_id}`, { isWatched: true, input: 'Yes\n' })
  t.match(revoked, { code: 0, stdout: /revoked/, stderr: /Continue\?/ })
})

t.test('the audit trail has the name of the operator', async (t) => {
  const { cli, json } = await openCli(t)
  await cli('migrate')
  await json('customers list', { env: { CERTDATA_OPERATOR: 'Änne O\'Hara, 1 % "x"' } })
  const names = (await json('audit list')).map((entry: { operator: string | null }) => entry.operator)
  t.equal(names[0], 'Änne O\'Hara, 1 % "x"')
  t.equal(names.at(-1), null, 'without a system user')
})

const plain = { isWide: false, hasColors: false }
const row = {
  key_id: 'k3v9x2m7q4d8s1fa',
  customer: 'acme',
  state: 'active',
  scopes: Array.from({ length: 6 }, (_, n) => `resource-${n}:read`),
  none: null,
  created_at: '2026-11-26T09:30:12.123456Z',
  kid: 'a'.repeat(43),
  last: 'b'.repeat(43),
}

t.test('a table fits 120 columns and names the omitted ones', async (t) => {
  const lines = formatTable([row, row], '', plain).split('\n')
  t.ok(lines.every((line) => line.length <= 120))
  t.match(lines, [
    /^key_id +customer +state +scopes +created_at$/,
    /^k3v9x2m7q4d8s1fa {2}acme {6}active {2}resource-0:read resource-1:… {2}2026-11-26 09:30$/,
    String,
    'Not shown: kid, last (--wide)',
  ])
  t.notMatch(lines.join('\n'), 'none', 'columns without values are left out')
})

t.test('--wide shows all columns', async (t) => {
  const wide = formatTable([row], '', { ...plain, isWide: true })
  for (const text of ['none', 'resource-5:read', '2026-11-26T09:30:12.123456Z', 'b'.repeat(43)])
    t.match(wide, text)
  t.equal(formatTable([], 'nothing yet', plain), 'nothing yet')
})

t.test('states have colours', async (t) => {
  const states = ['active', 'revoked', 'pending', 'unknown'].map((state) => ({ state }))
  const text = formatTable(states, '', { isWide: false, hasColors: true })
  t.equal(
    text,
    '\u001b[1mstate\u001b[22m\n\u001b[32mactive\u001b[39m\n\u001b[31mrevoked\u001b[39m\n\u001b[33mpending\u001b[39m\nunknown',
  )
  t.match(await run(['keys', 'list', '--help']), { stdout: /--wide/ })
})

t.test('a feature adds commands, and subcommands to a group of the kernel', async (t) => {
  const addedCommand = () => createGroup('customers', 'added', createCommand('greet', 'says hello'))
  let given: readonly unknown[] = []
  const otherCommand = (_: Shell, features: readonly unknown[]) => {
    given = features
    return createCommand('other', 'a command of a feature')
  }
  const added = {
    commands: {
      customers: async () => ({ buildCommand: addedCommand }),
      other: async () => ({ buildCommand: otherCommand }),
    },
  }
  let printed = ''
  const stdout = {
    write(text: string) {
      printed += text
    },
  }
  const shell = { env: {}, stdout, stderr: stdout } as unknown as Shell
  t.equal(await runCommandLine(['customers', '--help'], shell, [added]), 0)
  t.match(printed, /the customers and their plans/)
  t.match(printed, /greet.*says hello/s)
  t.match(printed, /set-plan/)
  printed = ''
  t.equal(await runCommandLine(['--help'], shell, [added]), 0)
  t.match(printed, /other.*a command of a feature/s)
  t.equal(given[0], added, 'a command gets all features')
  t.equal(await runCommandLine(['other'], shell, []), 2, 'unknown without the feature')
})
