import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import type { Test } from 'tap'
import { createSecrets } from '../../app/config/secrets.ts'
import { parseApiKey } from '../../app/identity/api-keys.ts'
import { loadSigningKeys } from '../../app/identity/signing-keys.ts'
import { addCustomer, closeAfter, createTestDatabase, listenTestApp, secretKey } from '../helper.ts'

type Json = Record<string, unknown>

/** A service, a good token of the customer acme, and changed tokens, each of which must be refused. */
export const openHostileTokens = async (t: Pick<Test, 'teardown'>) => {
  const database = await createTestDatabase()
  const { app, origin } = await listenTestApp(database)
  closeAfter(t, app, database)
  const apiKey = await addCustomer(database, 'acme')
  const victimKey = await addCustomer(database, 'victim')
  const keyId = parseApiKey(apiKey)?.keyId as string
  const victimId = parseApiKey(victimKey)?.keyId as string

  const { active, jwks, publicByHeader } = await loadSigningKeys(database.reader, createSecrets([secretKey]))
  const ours = createPrivateKey(active.privatePem)
  const theirs = generateKeyPairSync('ed25519').privateKey
  const theirJwk = createPublicKey(theirs).export({ format: 'jwk' })
  const otherKid = jwks.keys.find((key) => key.kid !== active.kid)?.kid

  const encode = (part: unknown) =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
  const seconds = Math.floor(Date.now() / 1000)
  const header = { alg: 'EdDSA', typ: 'at+jwt', kid: active.kid }
  const claims = {
    iss: origin,
    aud: origin,
    sub: keyId,
    client_id: keyId,
    customer: 'acme',
    iat: seconds,
    nbf: seconds - 10,
    exp: seconds + 600,
    jti: 'one',
    scope: 'products:read',
  }
  const signed = (head: unknown, body: unknown, key: KeyObject = ours) => {
    const input = `${encode(head)}.${encode(body)}`
    return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`
  }
  const hmac = (alg: string, secret: string | Buffer, head: Json = { ...header, alg }) => {
    const input = `${encode(head)}.${encode(claims)}`
    return `${input}.${createHmac(alg.replace('HS', 'sha'), secret).update(input).digest('base64url')}`
  }
  const withHeader = (change: Json, key: KeyObject = ours) => signed({ ...header, ...change }, claims, key)
  const withClaims = (change: Json) => signed(header, { ...claims, ...change })
  const good = signed(header, claims)
  const [head, body, signature] = good.split('.') as [string, string, string]
  const claimsText = JSON.stringify(claims)

  const flip = (text: string, at: number, bit: number) => {
    const bytes = Buffer.from(text, 'base64url')
    bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ (1 << bit)
    return bytes.toString('base64url')
  }

  const named = (prefix: string, values: readonly unknown[], make: (value: unknown) => string) =>
    Object.fromEntries(
      values.map((value) => [`${prefix} ${JSON.stringify(value)?.slice(0, 60)}`, make(value)]),
    )

  const wrongAlgorithms = 'none,None,NONE,nOnE,, none,eddsa,EdDSA ,Ed25519,RS256,ES256,PS512'.split(',')
  const algorithms: Record<string, string> = {
    ...named('our signature, alg', [...wrongAlgorithms, null, ['EdDSA'], undefined], (alg) =>
      withHeader({ alg }),
    ),
    ...named('no signature, alg', wrongAlgorithms, (alg) => `${encode({ ...header, alg })}.${body}.`),
    ...Object.fromEntries(
      ['HS256', 'HS384', 'HS512'].flatMap((alg) => [
        [`${alg} with the public key as PEM`, hmac(alg, publicByHeader.get(active.header) as string)],
        [`${alg} with the public key as JWK`, hmac(alg, JSON.stringify(active.jwk))],
        [`${alg} with the public key's bytes`, hmac(alg, Buffer.from(active.jwk.x, 'base64url'))],
        [`${alg} with the kid`, hmac(alg, active.kid)],
        [`${alg} with nothing`, hmac(alg, '')],
        [`${alg} under our header`, hmac(alg, publicByHeader.get(active.header) as string, header)],
      ]),
    ),
  }

  const address = 'https://evil.example/keys.json'
  const pointers: Record<string, string> = Object.fromEntries(
    Object.entries({
      jku: address,
      jwk: { ...theirJwk, kid: active.kid },
      x5u: address,
      x5c: ['MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA'],
      x5t: 'AAAA',
      'x5t#S256': 'AAAA',
      epk: theirJwk,
      url: address,
      crit: ['exp'],
      cty: 'JWT',
      zip: 'DEF',
      enc: 'A128GCM',
      p2c: 2 ** 31,
      unheard: true,
    }).flatMap(([name, value]) => [
      [`${name}, our signature`, withHeader({ [name]: value })],
      [`${name}, their signature`, withHeader({ [name]: value }, theirs)],
    ]),
  )

  const wrongKids = [
    '',
    '..',
    '../../../../dev/null',
    '/dev/null',
    "' or 1=1 --",
    address,
    '__proto__',
    'constructor',
    `${active.kid}\0`,
    ` ${active.kid}`,
    'x'.repeat(5000),
    null,
    0,
    [active.kid],
    { kid: active.kid },
  ]
  const kids: Record<string, string> = {
    ...named('kid', wrongKids, (kid) => withHeader({ kid }, theirs)),
    'kid of another key of ours': withHeader({ kid: otherKid }),
  }

  const wrongTypes = [
    'JWT',
    'jwt',
    'AT+JWT',
    'at+jwt ',
    'application/at+jwt',
    'id_token',
    'logout+jwt',
    'dpop+jwt',
    7,
    null,
    undefined,
  ]
  const shapes: Record<string, string> = {
    'b64 false': withHeader({ b64: false, crit: ['b64'] }),
    'empty crit': withHeader({ crit: [] }),
    'no kid': withHeader({ kid: undefined }),
    'header in another order': signed({ kid: active.kid, typ: 'at+jwt', alg: 'EdDSA' }, claims),
    'header with spaces': signed(JSON.stringify(header, null, 1), claims),
    'alg twice, none first': signed(`{"alg":"none",${JSON.stringify(header).slice(1)}`, claims),
    'alg twice, none last': signed(`${JSON.stringify(header).slice(0, -1)},"alg":"none"}`, claims),
    'header no object': signed('"EdDSA"', claims),
    'header no JSON': signed('{', claims),
    'their signature': signed(header, claims, theirs),
    'signature of another token': `${good.slice(0, -signature.length)}${withClaims({ jti: 'two' }).split('.')[2]}`,
    'signature of zeros': `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
    'no signature': `${head}.${body}.`,
    'detached payload': `${head}..${signature}`,
    'nothing but dots': '..',
    'one segment': head,
    'two segments': `${head}.${body}`,
    'four segments': `${good}.`,
    'five segments, as encrypted': `${head}.${body}.${body}.${body}.${signature}`,
    'a token inside a token': signed({ ...header, cty: 'JWT' }, good),
    'a JSON serialisation': JSON.stringify({ protected: head, payload: body, signature }),
    ...named('typ', wrongTypes, (typ) => withHeader({ typ })),
  }

  const wrongClaims: Record<string, unknown[]> = {
    exp: [
      seconds - 1,
      seconds,
      0,
      -1,
      1e308,
      claims.exp + 0.5,
      String(claims.exp),
      [claims.exp],
      true,
      null,
      undefined,
    ],
    nbf: [seconds + 300, '0', undefined],
    iat: ['now', undefined],
    aud: [
      'https://other.example',
      `${origin}.evil.example`,
      `${origin}/`,
      origin.toUpperCase(),
      [origin, 'https://other.example'],
      [origin],
      [],
      undefined,
    ],
    iss: ['https://evil.example', `${origin}/`, [origin], undefined],
    sub: [victimId, { $ne: null }, undefined],
    client_id: [victimId],
    customer: ['victim', 'demo', ['acme', 'victim'], undefined],
    jti: [1, 'x'.repeat(65), undefined],
    scope: [['products:read'], undefined],
    every_scope: ['true'],
  }

  const payloads: Record<string, string> = {
    ...Object.assign(
      {},
      ...Object.entries(wrongClaims).map(([name, values]) =>
        named(name, values, (value) => withClaims({ [name]: value })),
      ),
    ),
    ...named('subject and client', [victimId, 'x'.repeat(16)], (id) =>
      withClaims({ sub: id, client_id: id }),
    ),
    'subject twice': signed(header, `{"sub":"${victimId}",${claimsText.slice(1)}`),
    'subject twice, ours first': signed(header, `${claimsText.slice(0, -1)},"sub":"${keyId}"}`),
    'customer twice': signed(header, `{"customer":"victim",${claimsText.slice(1)}`),
    'exp twice': signed(header, `${claimsText.slice(0, -1)},"exp":${claims.exp + 1}}`),
    'an escaped twin': signed(header, `{"\\u0073ub":"${victimId}",${claimsText.slice(1)}`),
    'claims with spaces': signed(header, `${claimsText} `),
    'claims after a byte order mark': signed(header, `\ufeff${claimsText}`),
    'claims with a comment': signed(header, `${claimsText}//`),
    'claims as a list': signed(header, [claims]),
    'claims as a text': signed(header, JSON.stringify(claimsText)),
    'claims null': signed(header, 'null'),
    'no claims': signed(header, {}),
    'broken claims': signed(header, claimsText.slice(0, -1)),
    'claims in another alphabet': signed(header, Buffer.from(claimsText, 'utf16le').toString('latin1')),
    'a prototype': signed(header, `{"__proto__":${claimsText}}`),
  }

  const bent: Record<string, string> = {
    ...Object.fromEntries(
      [0, 13, 31, 63].flatMap((at) => [
        [`a bit of the header, ${at}`, `${flip(head, at, at % 8)}.${body}.${signature}`],
        [`a bit of the claims, ${at}`, `${head}.${flip(body, at, at % 8)}.${signature}`],
        [`a bit of the signature, ${at}`, `${head}.${body}.${flip(signature, at, at % 8)}`],
      ]),
    ),
    ...Object.fromEntries(
      [1, 2, 8, 40, signature.length + 2].map((count) => [`cut by ${count}`, good.slice(0, -count)]),
    ),
    'cut in front': good.slice(1),
    'unused bits of the signature': `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : String.fromCharCode(good.charCodeAt(good.length - 1) + 1)}`,
    padding: `${good}==`,
    'padding inside': `${head}=.${body}.${signature}`,
    'the other alphabet': `${head}.${body}.${Buffer.from(signature, 'base64url').toString('base64').replace(/[A-Z]/, '+')}`,
    hex: `${head}.${body}.${Buffer.from(signature, 'base64url').toString('hex')}`,
    'percent-encoded': good.replace('.', '%2E'),
    'in capitals': good.toUpperCase(),
    'in quotes': `"${good}"`,
    twice: `${good}${good}`,
    'two in a list': `${good}, Bearer ${good}`,
    'with a space': `${head}. ${body}.${signature}`,
    'with a tab': `${head}.${body}\t.${signature}`,
    'with a comma': `${good},`,
    'beyond ASCII': `${head}.${body}.\xe9${signature}`,
    'eight kilobytes': 'x'.repeat(8192),
    'fifteen kilobytes of dots': '.'.repeat(15_000),
    'a large token of ours': signed(header, { ...claims, exp: 0, scope: 'x'.repeat(9000) }),
    'the demo token, nearly': 'cda_demo_publiC',
    'an API key': apiKey,
    nothing: '',
    null: 'null',
    undefined: 'undefined',
  }

  const tokens = { ...algorithms, ...pointers, ...kids, ...shapes, ...payloads, ...bent }
  return { database, app, origin, victimId, victimKey, good, tokens, withClaims }
}
