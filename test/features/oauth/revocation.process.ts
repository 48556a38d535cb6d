import type { FastifyInstance } from 'fastify'
import t from 'tap'
import type { FreshnessCheck } from '../../../app/cache/freshness.ts'
import {
  closeAfter,
  createTestApp,
  createTestDatabase,
  listenTestApp,
  logIn,
  startTestFence,
} from '../../helper.ts'
import { createRightsTest, promisedMs, type Removal, type Subject } from '../../identity/rights.ts'
import { postForm } from './post-form.ts'

const database = await createTestDatabase()
const apps = [await createTestApp(database), await createTestApp(database)] as const
t.teardown(async () => {
  for (const app of apps) await app.close()
  await database.close()
})
const { newSubject, measure } = createRightsTest(database, apps)

const revoke = async ({ keyId, apiKey }: Subject, token: string, app: FastifyInstance = apps[0]) => {
  const answer = await postForm(app, 'revoke', { client_id: keyId, client_secret: apiKey, token })
  if (answer.statusCode !== 200) throw new Error(answer.body)
}

const cases: Record<string, Removal> = {
  'a token': [(subject) => revoke(subject, subject.token), 401, 'token_revoked'],
  'a key by its holder': [(subject) => revoke(subject, subject.apiKey), 401, 'token_revoked'],
}

t.test('a revocation applies on every instance within a second', async (t) => {
  for (const [name, removal] of Object.entries(cases)) {
    const max = await measure(name, removal)
    t.ok(max < promisedMs, `${name}: ${max.toFixed(0)} ms`)
  }
})

t.test('after the answer 200, the same instance refuses requests even without a poll', async (t) => {
  const { poller, freshness } = await startTestFence(database.url)
  // All cached facts count as fresh, so that only the revocation itself can replace them.
  const trusting: FreshnessCheck = { ...freshness, check: () => 'fresh' }
  const { app, origin } = await listenTestApp(database, { polls: { poller, freshness: trusting } })
  closeAfter(t, app)
  const read = async (token: string) => {
    const answer = await fetch(`${origin}/v1/products?limit=1`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return { status: answer.status, code: answer.ok ? '' : ((await answer.json()) as { code: string }).code }
  }
  const warmUp = async (token: string) => {
    for (let i = 0; i < 3; i++) t.equal((await read(token)).status, 200)
  }
  const subject = await newSubject()
  const tokens: string[] = []
  for (let i = 0; i < 3; i++) tokens.push((await logIn(app, subject.apiKey)).token)
  for (const token of tokens.slice(0, 2)) {
    for (const each of tokens.slice(tokens.indexOf(token))) await warmUp(each)
    await revoke(subject, token, app)
    t.same(await read(token), { status: 401, code: 'token_revoked' })
  }
  const last = tokens.at(-1) as string
  await warmUp(last)
  await revoke(subject, subject.apiKey, app)
  t.same(await read(last), { status: 401, code: 'token_revoked' })
  const again = await app.inject({
    method: 'POST',
    url: '/v1/auth/login',
    payload: { api_key: subject.apiKey },
  })
  t.equal(again.statusCode, 401)
})
