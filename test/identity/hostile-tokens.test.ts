import { request } from 'node:http'
import t from 'tap'
import { openHostileTokens } from './hostile-tokens.ts'

const { origin, good, tokens, withClaims } = await openHostileTokens(t)

type Answer = { status: number; code: string }

/** Sends exactly these header lines, also duplicates. */
const ask = (
  lines: readonly string[],
  path = '/v1/products',
  method = 'GET',
  content = '',
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const length = content === '' ? [] : ['content-length', String(content.length)]
    const headers = ['host', new URL(origin).host, ...lines, ...length]
    const sent = request(origin + path, { method, headers: headers as never }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => {
        const { code = '' } = text.startsWith('{') ? (JSON.parse(text) as { code?: string }) : {}
        resolve({ status: answer.statusCode ?? 0, code })
      })
    })
    sent.on('error', reject)
    sent.end(content)
  })
const bearer = (token: string) => ['authorization', `Bearer ${token}`]

t.test('the unmodified token is accepted, so each refusal below is caused by its change', async (t) => {
  t.equal((await ask(bearer(good))).status, 200)
  t.equal((await ask(bearer(withClaims({ jti: 'three' })))).status, 200)
})

const listAccepted = async (answers: [what: string, answer: () => Promise<Answer>][]) => {
  const accepted: unknown[] = []
  for (const [what, send] of answers) {
    const answer = await send()
    if (answer.status !== 401 && answer.status !== 400) accepted.push([what, answer])
  }
  return accepted
}
const listAcceptedTokens = (some: Record<string, string>) =>
  listAccepted(Object.entries(some).map(([what, token]) => [what, () => ask(bearer(token))]))

t.test('rejects every hostile token without a failure of the service', async (t) => {
  // The original token is in the cache since the previous test.
  t.same(await listAcceptedTokens(tokens), [])
  t.ok(Object.keys(tokens).length > 200, `${Object.keys(tokens).length} tokens`)
})

t.test('a token is accepted only in a single Authorization header', async (t) => {
  const form = ['content-type', 'application/x-www-form-urlencoded']
  const basic = `Basic ${Buffer.from(`${good}:`).toString('base64')}`
  const elsewhere: Record<string, Promise<Answer>> = {
    'two good headers': ask([...bearer(good), ...bearer(good)]),
    'a good header, then a bad one': ask([...bearer(good), ...bearer('x')]),
    'a bad header, then a good one': ask(['AUTHORIZATION', 'Bearer x', ...bearer(good)]),
    'a good header, then an empty one': ask([...bearer(good), 'authorization', '']),
    'access_token in the query': ask([], `/v1/products?access_token=${good}`),
    'token in the query': ask([], `/v1/products?token=${good}`),
    'in the query beside a good header': ask(bearer(good), `/v1/products?access_token=${good}`),
    'in a cookie': ask(['cookie', `access_token=${good}; Authorization=Bearer ${good}`]),
    'in X-Access-Token': ask(['x-access-token', good]),
    'in X-Authorization': ask(['x-authorization', `Bearer ${good}`]),
    'in X-Forwarded-Authorization': ask(['x-forwarded-authorization', `Bearer ${good}`]),
    'in Proxy-Authorization': ask(['proxy-authorization', `Bearer ${good}`]),
    'in Authorization_': ask(['authorization_', `Bearer ${good}`]),
    'in a form': ask(form, '/v1/products', 'GET', `access_token=${good}`),
    'by another scheme': ask(['authorization', `Token ${good}`]),
    'by DPoP': ask(['authorization', `DPoP ${good}`]),
    'by Basic': ask(['authorization', basic]),
    'without a scheme': ask(['authorization', good]),
    'as a parameter': ask(['authorization', `Bearer token="${good}"`]),
    'with the scheme twice': ask(['authorization', `Bearer Bearer ${good}`]),
    'after a tab': ask(['authorization', `Bearer\t${good}`]),
    'with the scheme’s colon': ask(['authorization', `Bearer: ${good}`]),
  }
  t.same(await listAccepted(Object.entries(elsewhere).map(([what, answer]) => [what, () => answer])), [])
})
