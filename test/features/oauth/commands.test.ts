import { generateKeyPairSync } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { createCommandLine, run } from '../../command-line.ts'
import { addCustomer, closeAfter, createTestDatabase, secretKey } from '../../helper.ts'
import { addSigningClient } from './signing-client.ts'

const database = await createTestDatabase()
closeAfter(t, database)
await addCustomer(database, 'acme')
const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey, DATA_DIR: t.testdir() }
const commands = createCommandLine(env)
const json = (words: string) => commands.json(...words.split(' '))
const cli = (words: string) => commands.cli(...words.split(' '))

t.test('the operator registers a signing client by its public keys', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const [one, two] = [publicKey, generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey].map((key) =>
    key.export({ format: 'jwk' }),
  )
  const folder = t.testdir({
    'one.json': JSON.stringify(one),
    'both.json': JSON.stringify({ keys: [{ ...one, kid: 'first' }, two] }),
    'private.json': JSON.stringify(privateKey.export({ format: 'jwk' })),
    'text.json': 'text',
    'zeros.json': JSON.stringify({ ...one, x: 'A'.repeat(43) }),
    'nothing.json': JSON.stringify({ kty: 'OKP', crv: 'Ed25519' }),
  })
  const added = await json(
    `keys add-client acme --jwk ${folder}/one.json --scopes lab:read --expires 2099-12-31`,
  )
  t.match(added, { customer: 'acme', scopes: ['lab:read'], kids: [/^[\w-]{43}$/] })
  t.notOk(JSON.stringify(added).includes('cda_live_'), 'it has no secret')
  const client = added.client_id as string
  t.match(
    (await json('keys list acme')).find((key: { key_id: string }) => key.key_id === client),
    { kids: added.kids },
  )
  const both = await json(`keys change-client ${client} --jwk ${folder}/both.json`)
  t.match(both, { client_id: client, kids: ['first', /^[\w-]{43}$/] })
  const entries: { action: string }[] = await json('audit list --customer acme --limit 100')
  t.match(
    entries.filter(({ action }) => action.endsWith('-client')),
    [
      { action: 'keys.change-client', subject: client, details: { kids: both.kids } },
      { action: 'keys.add-client', subject: client, details: { kids: added.kids, scopes: ['lab:read'] } },
    ],
  )
  const { key_id: secret } = await json('keys issue acme')
  const wrong = [
    ['add-client acme', 2, /required option '--jwk <file>'/],
    [`change-client ${client}`, 2, /required option '--jwk <file>'/],
    [`add-client acme --jwk ${folder}/private.json`, 1, /private or secret/],
    [`add-client acme --jwk ${folder}/zeros.json`, 1, /not secure: make a new key pair/],
    [`add-client acme --jwk ${folder}/nothing.json`, 1, /cannot be used: expected the member x/],
    [`add-client acme --jwk ${folder}/text.json`, 1, /text.json cannot be used/],
    [`add-client acme --jwk ${folder}/missing.json`, 1, /missing.json cannot be used/],
    [`add-client nobody --jwk ${folder}/one.json`, 1, /no customer nobody/],
    [`add-client demo --jwk ${folder}/one.json`, 1, /example data/],
    [`change-client ${secret} --jwk ${folder}/one.json`, 1, /a key with a secret has no public key/],
    [`rotate ${client}`, 1, /a client that signs/],
  ] as const
  for (const [words, code, reason] of wrong) {
    t.match(await cli(`keys ${words}`), { code, stderr: reason }, words)
  }
})

t.test('a client that signs is exported and erased with its customer', async (t) => {
  const { customer, id } = await addSigningClient(database, { kid: 'key-of-the-client' })
  await sql`insert into used_assertions values (${customer}, ${id}, sha256('x'), now())`.execute(
    database.operator,
  )
  const exported = (await run(['customers', 'export', customer], { env })).stdout
  const rows = exported
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const find = (table: string) => rows.find((each) => each.table === table && each.row.key_id === id)?.row
  t.match(find('api_keys'), { key_id: id, client_jwks: { keys: [{ kid: 'key-of-the-client' }] } })
  t.match(find('used_assertions'), { key_id: id, expires_at: String })
  t.notOk('jti_sha256' in find('used_assertions'), 'proofs are exported only with keys')
  const erased = await run(['customers', 'erase', customer, '--yes', '--json'], { env })
  t.match(JSON.parse(erased.stdout), { rows: { api_keys: 2, used_assertions: 1, customers: 1 } })
})
