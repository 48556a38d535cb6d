import { sql } from 'kysely'
import t from 'tap'
import { createTestApp, createTestDatabase, until } from '../helper.ts'
import { createRightsTest, promisedMs, type Removal, type Subject } from './rights.ts'

const database = await createTestDatabase()
const { operator } = database
const apps = [await createTestApp(database), await createTestApp(database)] as const
t.teardown(async () => {
  for (const app of apps) await app.close()
  await database.close()
})
const { ask, newSubject, measure } = createRightsTest(database, apps)

const updateKey = (
  { keyId }: Subject,
  values: { revoked_at?: string; expires_at?: string; scopes?: string[] },
) => operator.updateTable('api_keys').set(values).where('key_id', '=', keyId).execute()
const limitKey = ({ keyId }: Subject, networks: string[]) =>
  sql`update api_keys set networks = ${networks}::cidr[] where key_id = ${keyId}`.execute(operator)
const updateCustomer = (
  { customer }: Subject,
  values: { plan?: 'basic' | 'premium'; suspended_at?: string },
) => operator.updateTable('customers').set(values).where('customer_id', '=', customer).execute()
const now = () => new Date().toISOString()

const cases: Record<string, Removal> = {
  'a key by the operator': [(subject) => updateKey(subject, { revoked_at: now() }), 401, 'token_revoked'],
  'the end of a key': [(subject) => updateKey(subject, { expires_at: now() }), 401, 'token_revoked'],
  networks: [(subject) => limitKey(subject, ['203.0.113.0/24']), 403, 'network_not_allowed'],
  'a plan': [(subject) => updateCustomer(subject, { plan: 'basic' }), 403, 'plan_required'],
  'a suspension': [(subject) => updateCustomer(subject, { suspended_at: now() }), 403, 'plan_required'],
  scopes: [(subject) => updateKey(subject, { scopes: ['lab:read'] }), 403, 'insufficient_scope'],
}

t.test('a removed right ends on every instance within a second', async (t) => {
  for (const [name, removal] of Object.entries(cases)) {
    const max = await measure(name, removal)
    t.ok(max < promisedMs, `${name}: ${max.toFixed(0)} ms`)
  }
})

t.test('a restored right applies within a second', async (t) => {
  const subject = await newSubject()
  await updateCustomer(subject, { plan: 'basic' })
  await until('refused', async () => (await ask(1, subject.token)).statusCode === 403)
  await updateCustomer(subject, { plan: 'premium' })
  const isLetIn = async () => (await ask(1, subject.token)).statusCode === 200
  await t.resolves(until('let in, with time for a busy machine', isLetIn, 10 * promisedMs))
})
