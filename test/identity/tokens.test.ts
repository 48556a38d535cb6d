import t from 'tap'
import type { SigningKeys } from '../../app/identity/signing-keys.ts'
import { createTokenVerifier, type Jwt } from '../../app/identity/tokens.ts'

const signingKeys = { publicByHeader: new Map([['header', 'key']]) } as unknown as SigningKeys

const listClaims = (jti: number, scopes: number) => ({
  ...{ sub: 'key', client_id: 'key', iss: 'https://a', aud: 'https://a', customer: 'acme' },
  ...{ exp: 2_000_000_000, iat: 1, nbf: 1, jti: String(jti), every_scope: false },
  scope: Array.from({ length: scopes }, (_, n) => `custom:${'x'.repeat(30)}-${n}`).join(' '),
})

t.test('verified tokens are kept by their size, which a client chooses', (t) => {
  let checks = 0
  const jwt = {
    verify(token: string) {
      checks += 1
      return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    },
  } as unknown as Jwt
  const options = { signingKeys, publicUrl: 'https://a', accessTokenSeconds: 60, now: () => 0 }
  const verify = createTokenVerifier(jwt, options)
  const getToken = (jti: number, scopes: number) =>
    `header.${Buffer.from(JSON.stringify(listClaims(jti, scopes))).toString('base64url')}.AAAA`
  const listChecks = (token: string) => {
    const before = checks
    verify(token)
    return checks - before
  }
  for (let n = 0; n < 5_000; n++) verify(getToken(n, 1))
  t.equal(listChecks(getToken(0, 1)), 0, 'thousands of usual tokens are kept')
  for (let n = 0; n < 2_000; n++) verify(getToken(n, 90))
  t.equal(listChecks(getToken(1_999, 90)), 0)
  t.equal(listChecks(getToken(0, 90)), 1, 'of large ones fewer')
  t.end()
})
