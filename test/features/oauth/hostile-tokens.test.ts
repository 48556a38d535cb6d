import t from 'tap'
import { openHostileTokens } from '../../identity/hostile-tokens.ts'
import { postForm } from './post-form.ts'

const { database, app, victimId, victimKey, good, tokens } = await openHostileTokens(t)

t.test('introspection reports no hostile token as active, and revoking it has no effect', async (t) => {
  const wrong: unknown[] = []
  const post = (path: string, token: string) =>
    postForm(app, path, { client_id: victimId, client_secret: victimKey, token })
  for (const [what, token] of Object.entries({ ...tokens, good })) {
    if (token === '') continue
    const [inspected, revoked] = [await post('introspect', token), await post('revoke', token)]
    if (inspected.body !== '{"active":false}' || revoked.statusCode !== 200)
      wrong.push([what, inspected.body])
  }
  t.same(wrong, [])
  t.same(await database.operator.selectFrom('revoked_tokens').selectAll().execute(), [])
})
