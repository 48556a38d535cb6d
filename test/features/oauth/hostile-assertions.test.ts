import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { assertionType } from '../../../app/features/oauth/client-assertion.ts'
import { formatClientKeys, parseClientKeys } from '../../../app/features/oauth/client-keys.ts'
import { changeClientJwks } from '../../../app/identity/api-key-store.ts'
import { parseApiKey } from '../../../app/identity/api-keys.ts'
import {
  addCustomer,
  closeAfter,
  createTestApp,
  createTestDatabase,
  listenTestApp,
  until,
} from '../../helper.ts'
import { postForm } from './post-form.ts'
import { addSigningClient, assertFor, getJwk, grantWith, makeKeys } from './signing-client.ts'

const database = await createTestDatabase()
const { app, origin } = await listenTestApp(database)
const other = await createTestApp(database, { origin })
closeAfter(t, app, other, database)

const good = await addSigningClient(database, { kid: 'good' })
const elliptic = await addSigningClient(database, { alg: 'ES256' })
const rsa = await addSigningClient(database, { alg: 'PS256' })
const victim = await addSigningClient(database)
const apiKey = await addCustomer(database, 'with-a-secret')
const secretId = parseApiKey(apiKey)?.keyId as string
const theirs = generateKeyPairSync('ed25519')

type Json = Record<string, unknown>
const encode = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
const now = Math.floor(Date.now() / 1000)
let ids = 0
/** Valid for four minutes, because this file takes a minute on a busy machine. */
const listClaims = (id = good.id): Json => ({
  iss: id,
  sub: id,
  aud: origin,
  iat: now,
  exp: now + 240,
  jti: `hostile-${++ids}`,
})
const header = { alg: 'EdDSA', kid: 'good' }

const signed = (head: unknown, body: unknown, key: KeyObject = good.privateKey) => {
  const input = `${encode(head)}.${encode(body)}`
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`
}
const withClaims = (change: Json) => signed(header, { ...listClaims(), ...change })
const withHeader = (change: Json, key?: KeyObject) => signed({ ...header, ...change }, listClaims(), key)
const hmac = (secret: string | Buffer, id = good.id, alg = 'HS256') => {
  const input = `${encode({ ...header, alg })}.${encode(listClaims(id))}`
  return `${input}.${createHmac(alg.replace('HS', 'sha'), secret).update(input).digest('base64url')}`
}
const rsaSigned = (alg: string, hash: string, options: object) => {
  const input = `${encode({ alg })}.${encode(listClaims(rsa.id))}`
  const key = { key: rsa.privateKey, ...options }
  return `${input}.${sign(hash, Buffer.from(input), key).toString('base64url')}`
}
const ecSigned = (alg: string, hash: string, options: object) => {
  const input = `${encode({ alg })}.${encode(listClaims(elliptic.id))}`
  return `${input}.${sign(hash, Buffer.from(input), { key: elliptic.privateKey, ...options }).toString('base64url')}`
}
const getPem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' })
const whole = signed(header, listClaims())
const twice = (name: string, first: unknown, second: unknown) => {
  const claims = listClaims()
  const rest = JSON.stringify(claims).slice(1)
  return signed(
    header,
    `{"${name}":${JSON.stringify(first)},${rest.replace(`"${name}":${JSON.stringify(claims[name])}`, `"${name}":${JSON.stringify(second)}`)}`,
  )
}

const claimsText = (from: string | RegExp, to: string) => JSON.stringify(listClaims()).replace(from, to)
const joined = (...parts: (string | undefined)[]) => parts.join('.')
const [head, body, mark] = whole.split('.')
const named = (prefix: string, values: readonly unknown[], make: (value: unknown) => string) =>
  values.map((value) => [`${prefix} ${JSON.stringify(value)?.slice(0, 60)}`, make(value)] as const)

const claimValues: Record<string, unknown[]> = {
  aud: [
    'https://elsewhere.example',
    `${origin}/`,
    `${origin}/v1/auth/login`,
    `${origin}/v1/oauth/token/`,
    `${origin}.evil.example`,
    origin.replace('://', '://evil@'),
    `${origin}?`,
    `${origin}\0`,
    origin.toUpperCase(),
    origin.replace('http:', 'https:'),
    undefined,
    null,
    1,
    { 0: origin },
    [],
    [[origin]],
    [origin, origin],
    [origin, 'https://elsewhere.example'],
  ],
  iss: [victim.id, origin, undefined],
  sub: [victim.id, [good.id], undefined],
  exp: [
    now - 60,
    now + 3_700,
    now + 3_000_000_000,
    Date.now(),
    2 ** 53,
    Number.MAX_VALUE,
    1,
    0,
    -1,
    String(now + 60),
    'NaN',
    'Infinity',
    true,
    [now + 60],
    null,
    undefined,
  ],
  nbf: [now + 120, String(now), null],
  iat: ['now', Date.now(), null],
  jti: [
    '',
    'x'.repeat(257),
    '𝄞'.repeat(257),
    'a\0b',
    '\0',
    'a\r\nb',
    '\ud800',
    7,
    ['a'],
    {},
    null,
    undefined,
  ],
}
const headerValues: Record<string, unknown[]> = {
  alg: [['EdDSA'], 'eddsa', 'ES256', undefined],
  kid: ['other', '../../dev/null', "good' or '1'='1", '', 'good\0', 1, null],
  typ: ['id_token+jwt', 'at+jwt', 'dpop+jwt', 'secevent+jwt', null],
  crit: [['kid'], ['x'], [], null],
  jwk: [getJwk(good.publicKey)],
  jku: ['https://evil.example/jwks.json'],
  x5u: ['https://evil.example/cert.pem'],
  x5c: [['MIIB']],
  b64: [false],
  zip: ['DEF'],
  cty: ['JWT'],
  nonce: ['x'],
  enc: ['A256GCM'],
}
const clientIds = [
  victim.customer,
  'nosuchclient0000',
  '__proto__',
  "x' or '1'='1",
  good.id.toUpperCase(),
  `${good.id}\0`,
  'a'.repeat(2_000),
]
const detached = encode({ ...header, b64: false, crit: ['b64'] })

/** Assertions that must be refused. The rest of their request is valid. */
const hostile: Record<string, string> = {
  ...Object.fromEntries([
    ...Object.entries(claimValues).flatMap(([name, values]) =>
      named(name, values, (value) => withClaims({ [name]: value })),
    ),
    ...Object.entries(headerValues).flatMap(([name, values]) =>
      named(`header ${name}`, values, (value) => withHeader({ [name]: value })),
    ),
    ...named('iss and sub', clientIds, (id) => withClaims({ iss: id, sub: id })),
    ...named('exp is the text', ['1e999', '-1e999', 'NaN', '9'.repeat(300)], (text) =>
      signed(header, claimsText(/"exp":\d+/, `"exp":${text}`)),
    ),
    ...named(
      'header is',
      ['header', 'null', [header], '{"__proto__":{"alg":"EdDSA"},"kid":"good"}'],
      (value) => signed(value, listClaims()),
    ),
    ...named(
      'claims are',
      ['claims', 'null', [listClaims()], `${'['.repeat(1_000)}${']'.repeat(1_000)}`],
      (value) => signed(header, value),
    ),
  ]),
  'alg none, no signature': joined(encode({ alg: 'none' }), body, ''),
  'alg none, signature of before': joined(encode({ alg: 'none' }), body, mark),
  'alg None': joined(encode({ alg: 'None' }), body, 'AA'),
  'HS256 with the public key as PEM': hmac(getPem(good.publicKey) as string),
  'HS256 with the public key as JWK': hmac(JSON.stringify(getJwk(good.publicKey))),
  'HS256 with the raw public key': hmac(Buffer.from(String(getJwk(good.publicKey).x), 'base64url')),
  'HS256 with the public RSA key': hmac(getPem(rsa.publicKey) as string, rsa.id),
  'HS512 with the client id': hmac(good.id, good.id, 'HS512'),
  'HS256 with the API key of a key with a secret': hmac(apiKey, secretId),
  'HS256 with nothing': hmac(''),
  RS256: rsaSigned('RS256', 'sha256', {}),
  'RS256 signature called PS256': rsaSigned('PS256', 'sha256', {}),
  PS384: rsaSigned('PS384', 'sha384', { padding: 6, saltLength: 48 }),
  'PS256 with another salt': rsaSigned('PS256', 'sha256', { padding: 6, saltLength: 0 }),
  'ES256 as DER': ecSigned('ES256', 'sha256', { dsaEncoding: 'der' }),
  ES384: ecSigned('ES384', 'sha384', { dsaEncoding: 'ieee-p1363' }),
  'ES256 of zeros': joined(
    encode({ alg: 'ES256' }),
    encode(listClaims(elliptic.id)),
    Buffer.alloc(64).toString('base64url'),
  ),
  'EdDSA named for a P-256 key': signed({ alg: 'EdDSA' }, listClaims(elliptic.id), theirs.privateKey),
  'Ed448 key': signed({ alg: 'EdDSA' }, listClaims(), generateKeyPairSync('ed448').privateKey),
  'both another client, signed with mine': signed(header, listClaims(victim.id)),
  'a client of another customer, signed with mine': signed({ alg: 'EdDSA' }, listClaims(victim.id)),
  'a key with a secret, signed with mine': signed({ alg: 'EdDSA' }, listClaims(secretId)),
  'iat in the future': withClaims({ iat: now + 120, exp: now + 180 }),
  'nbf infinite': signed(header, claimsText('{', '{"nbf":1e999,')),
  'jti twice': twice('jti', 'a', 'b'),
  'sub twice': twice('sub', victim.id, good.id),
  'iss twice': twice('iss', good.id, victim.id),
  'iss twice, the right one last': twice('iss', victim.id, good.id),
  'aud twice': twice('aud', origin, 'https://elsewhere.example'),
  'aud twice, the right one last': twice('aud', 'https://elsewhere.example', origin),
  'exp twice': twice('exp', now + 60, now - 600),
  'exp twice, the right one last': twice('exp', now - 600, now + 60),
  'exp twice, the same': twice('exp', now + 60, now + 60),
  'a claim twice, escaped': signed(header, claimsText('{', '{"\\u0065xp":1,')),
  'a member of a claim twice': signed(header, claimsText('{', '{"x":{"a":1,"a":2},')),
  'alg twice': signed(`{"alg":"none","alg":"EdDSA","kid":"good"}`, listClaims()),
  'kid twice': signed(`{"alg":"EdDSA","kid":"other","kid":"good"}`, listClaims()),
  'another key, right kid': withHeader({}, theirs.privateKey),
  'embedded jwk of the thief': withHeader({ jwk: getJwk(theirs.publicKey) }, theirs.privateKey),
  'jku, their signature': withHeader({ jku: 'https://evil.example/jwks.json' }, theirs.privateKey),
  'crit of exp': withHeader({ crit: ['exp'], exp: now + 60 }),
  'b64 false': withHeader({ b64: false, crit: ['b64'] }),
  'b64 false, payload not encoded': (() => {
    const input = `${detached}.${JSON.stringify(listClaims())}`
    return joined(input, sign(null, Buffer.from(input), good.privateKey).toString('base64url'))
  })(),
  unsigned: joined(head, body, ''),
  'two parts': joined(head, body),
  'four parts': `${whole}.AA`,
  'five parts, as a JWE': `${whole}.AA.AA`,
  truncated: whole.slice(0, -10),
  'claims of another': joined(head, encode(listClaims(victim.id)), mark),
  'claims changed': joined(head, encode({ ...listClaims(), exp: now + 290 }), mark),
  'header changed': joined(encode({ alg: 'EdDSA', typ: 'JWT' }), body, mark),
  'signature of zeros': joined(head, body, Buffer.alloc(64).toString('base64url')),
  'white space inside': joined(`${head} `, body, mark),
  'padding of base64': joined(`${head}==`, body, mark),
  'base64 instead of base64url': joined(head, body, `${mark?.slice(0, -1)}+`),
  'claims broken UTF-8': (() => {
    const broken = Buffer.from(claimsText('{', '{"x":"\xff",'), 'latin1')
    const input = `${encode(header)}.${broken.toString('base64url')}`
    return joined(input, sign(null, Buffer.from(input), good.privateKey).toString('base64url'))
  })(),
  huge: withClaims({ filler: 'x'.repeat(40_000) }),
  'JSON serialisation': JSON.stringify({ payload: body, signatures: [] }),
  'an access token': 'placeholder',
  'an API key': apiKey,
  dots: '..',
  'a word': 'assertion',
}

const send = (form: Record<string, string> | string, server = app, headers = {}) =>
  postForm(server, 'token', form, headers)

t.test(`refuses ${Object.keys(hostile).length} hostile assertions with the same code`, async (t) => {
  const granted = await send(grantWith(await assertFor(good, origin, {}, { kid: 'good' })))
  t.equal(granted.statusCode, 200, 'a good one is let in')
  const token: string = granted.json().access_token
  hostile['an access token'] = token
  for (const [name, assertion] of Object.entries(hostile)) {
    for (const path of ['token', 'introspect', 'revoke']) {
      const answer = await postForm(app, path, { ...grantWith(assertion), token })
      t.equal(answer.statusCode, 401, `${name} at ${path}`)
      t.equal(answer.json().error, 'invalid_client', `${name} at ${path}: ${answer.body.slice(0, 200)}`)
      t.match(answer.headers['www-authenticate'], /^Basic /, name)
    }
  }
  t.equal(
    (await app.inject({ url: '/v1/me', headers: { authorization: `Bearer ${token}` } })).statusCode,
    200,
    'nothing was revoked',
  )
  t.equal((await send(grantWith(whole))).statusCode, 200, 'the one that was changed is good itself')
})

t.test('an assertion of usual size is far below the limits', async (t) => {
  t.ok(whole.length < 500)
  t.equal((await send(grantWith(withClaims({ filler: 'x'.repeat(2_000) })))).statusCode, 200)
})

/** Requests that must be refused although their assertion is valid. */
const requests: Record<
  string,
  (assertion: string) => [form: string | Record<string, string>, headers?: object]
> = {
  'a secret beside it': (jwt) => [grantWith(jwt, { client_id: secretId, client_secret: apiKey })],
  'a secret beside it, no id': (jwt) => [grantWith(jwt, { client_secret: apiKey })],
  'an empty Authorization beside it': (jwt) => [grantWith(jwt), { authorization: 'Basic ' }],
  'Basic beside it': (jwt) => [
    grantWith(jwt),
    { authorization: `Basic ${Buffer.from(`${secretId}:${apiKey}`).toString('base64')}` },
  ],
  'Bearer beside it': (jwt) => [grantWith(jwt), { authorization: 'Bearer x' }],
  'client_id of another': (jwt) => [grantWith(jwt, { client_id: victim.id })],
  'client_id unknown': (jwt) => [grantWith(jwt, { client_id: 'nosuchclient0000' })],
  'type of SAML': (jwt) => [
    grantWith(jwt, { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }),
  ],
  'type missing': (jwt) => [{ grant_type: 'client_credentials', client_assertion: jwt }],
  'type empty': (jwt) => [grantWith(jwt, { client_assertion_type: '' })],
  'assertion missing': () => [{ grant_type: 'client_credentials', client_assertion_type: assertionType }],
  'assertion empty': () => [grantWith('')],
  'assertion twice': (jwt) => [`${new URLSearchParams(grantWith(jwt))}&client_assertion=${jwt}`],
  'type twice': (jwt) => [`${new URLSearchParams(grantWith(jwt))}&client_assertion_type=${assertionType}`],
  'client_id twice': (jwt) => [
    `${new URLSearchParams(grantWith(jwt))}&client_id=${good.id}&client_id=${good.id}`,
  ],
  'as grant type': (jwt) => [{ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: jwt }],
  'as client secret': (jwt) => [{ grant_type: 'client_credentials', client_id: good.id, client_secret: jwt }],
}

t.test(`${Object.keys(requests).length} requests with a good assertion are refused`, async (t) => {
  for (const [name, make] of Object.entries(requests)) {
    const [form, headers] = make(await assertFor(good, origin, {}, { kid: 'good' }))
    const answer = await send(form, app, headers)
    t.ok([400, 401].includes(answer.statusCode), `${name}: ${answer.body}`)
    t.notOk(answer.body.includes('access_token'), name)
  }
})

t.test('a used assertion is refused', async (t) => {
  const refusedAt = async (assertion: string, reason: RegExp, servers = [app, other]) => {
    for (const server of servers) {
      for (const path of ['token', 'introspect', 'revoke']) {
        const answer = await postForm(server, path, { ...grantWith(assertion), token: 'x' })
        t.match(answer.json(), { error: 'invalid_client', error_description: reason }, path)
        t.equal(answer.statusCode, 401)
      }
    }
  }
  const used = /used before/
  const notProved = /not known, or its key did not sign/
  await t.test('after a restart', async () => {
    const assertion = await assertFor(good, origin, {}, { kid: 'good' })
    const first = await createTestApp(database, { origin })
    t.equal((await send(grantWith(assertion), first)).statusCode, 200)
    await first.close()
    const second = await createTestApp(database, { origin })
    await refusedAt(assertion, used, [second])
    await second.close()
  })
  await t.test('at all endpoints simultaneously, on two instances', async (t) => {
    for (let round = 0; round < 5; round++) {
      const form = { ...grantWith(await assertFor(good, origin, {}, { kid: 'good' })), token: 'x' }
      const sent = [app, other].flatMap((server) =>
        ['token', 'introspect', 'revoke'].map((path) => postForm(server, path, form)),
      )
      const statuses = (await Promise.all(sent)).map(({ statusCode }) => statusCode).sort()
      t.same(statuses, [200, 401, 401, 401, 401, 401])
    }
  })
  await t.test('the id with other claims and another signature', async () => {
    const jti = 'one id'
    t.equal((await send(grantWith(withClaims({ jti })))).statusCode, 200)
    await refusedAt(withClaims({ jti, exp: now + 241 }), used)
    await refusedAt(withClaims({ jti, aud: [origin] }), used)
  })
  await t.test('by a client that was revoked or erased, has expired, or has another key now', async (t) => {
    const changes: Record<string, (id: string) => Promise<unknown>> = {
      revoked: (id) =>
        sql`update api_keys set revoked_at = now() where key_id = ${id}`.execute(database.operator),
      expired: (id) =>
        sql`update api_keys set expires_at = now() where key_id = ${id}`.execute(database.operator),
      erased: (id) => sql`delete from api_keys where key_id = ${id}`.execute(database.operator),
      'another key': (id) =>
        changeClientJwks(database.operator, id, formatClientKeys(parseClientKeys(getJwk(theirs.publicKey)))),
    }
    for (const [name, change] of Object.entries(changes)) {
      const client = await addSigningClient(database)
      t.equal((await send(grantWith(await assertFor(client, origin)))).statusCode, 200, name)
      await change(client.id)
      for (const server of [app, other]) {
        const status = async () => (await send(grantWith(await assertFor(client, origin)), server)).statusCode
        await until(name, async () => (await status()) === 401)
      }
      const reasons: Record<string, RegExp> = {
        revoked: /^This API key was revoked at /,
        expired: /^This API key ended at /,
      }
      await refusedAt(await assertFor(client, origin), reasons[name] ?? notProved)
    }
  })
})

t.test('a replay is refused on another instance, also with another spelling of the signature', async (t) => {
  const jwt = await assertFor(elliptic, origin)
  t.equal((await send(grantWith(jwt))).statusCode, 200)
  t.equal((await send(grantWith(jwt), other)).statusCode, 401)
  const [head = '', body = '', mark = ''] = jwt.split('.')
  const bytes = Buffer.from(mark, 'base64url')
  // (r, -s) is valid for the same bytes as (r, s).
  const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')
  const s = (order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)).toString(16).padStart(64, '0')
  const twin = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s, 'hex')]).toString('base64url')
  t.equal((await send(grantWith([head, body, twin].join('.')), other)).statusCode, 401)
})

/** Ed25519 points of small order, in canonical and other encodings, with both signs, and two that are not on the curve. */
const weakPoints = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]
  .flatMap((hex) => {
    const bytes = Buffer.from(hex, 'hex')
    bytes[31] = (bytes[31] as number) | 0x80
    return [hex, bytes.toString('hex')]
  })
  .concat(`02${'00'.repeat(31)}`, 'ff'.repeat(32))

t.test('one key has one thumbprint, and no good key is refused', async (t) => {
  const { e, n } = getJwk(rsa.publicKey) as { e: string; n: string }
  const padded = Buffer.concat([Buffer.of(0), Buffer.from(n, 'base64url')]).toString('base64')
  t.same(parseClientKeys({ kty: 'RSA', e, n: padded }), parseClientKeys({ kty: 'RSA', e, n }))
  for (let i = 0; i < 50; i++) parseClientKeys(getJwk(makeKeys.EdDSA().publicKey))
})

t.test('a key that is weak, private or for another use is refused', async (t) => {
  const { publicKey, privateKey } = makeKeys.EdDSA()
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
  const cheap = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }).publicKey
  const point = getJwk(elliptic.publicKey) as { x: string; y: string }
  const bad: [unknown, RegExp][] = [
    [getJwk(privateKey), /private or secret/],
    [{ kty: 'oct', k: 'c2VjcmV0' }, /private or secret/],
    [getJwk(weak), /2048 to 4096 bits/],
    [getJwk(cheap), /exponent 65537/],
    [
      getJwk(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey),
      /expected an Ed25519, P-256 or RSA key/,
    ],
    [getJwk(generateKeyPairSync('ed448').publicKey), /expected an Ed25519/],
    [getJwk(generateKeyPairSync('x25519').publicKey), /expected an Ed25519/],
    [{ ...point, kty: 'EC', crv: 'P-256', y: point.x }, /do not form a key/],
    [{ kty: 'OKP', crv: 'Ed25519', x: 'AA' }, /do not form a key: export/],
    [{ kty: 'OKP', crv: 'Ed25519' }, /expected the member x/],
    [{ kty: 'OKP', crv: 'Ed25519', x: 7 }, /expected the member x/],
    [{ kty: 'EC', crv: 'P-256', x: point.x }, /expected the member y/],
    [{ kty: 'RSA', e: 'AQAB' }, /expected the member n/],
    [{ kty: 'RSA', e: 'AQAB', n: 'x'.repeat(1_001) }, /expected the member n/],
    [{ x: 'AA' }, /with kty and crv/],
    [getJwk(publicKey, { kty: 'AKP' }), /expected an Ed25519, .*make one/],
    [getJwk(publicKey, { crv: 'secp256k1' }), /expected an Ed25519/],
    [getJwk(publicKey, { kty: 'okp' }), /expected an Ed25519/],
    ...['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'].map((name): [unknown, RegExp] => [
      getJwk(publicKey, { [name]: 'AA' }),
      /private or secret: .*never use this key again/,
    ]),
    ...[1, 3].map((exponent): [unknown, RegExp] => [
      getJwk(rsa.publicKey, { e: Buffer.of(exponent).toString('base64url') }),
      /exponent 65537 .*make a new one/,
    ]),
    [getJwk(rsa.publicKey, { n: Buffer.alloc(256, 0xff).toString('base64url') }), /small factor/],
    [
      getJwk(rsa.publicKey, { n: Buffer.concat([Buffer.of(128), Buffer.alloc(255)]).toString('base64url') }),
      /small/,
    ],
    ...weakPoints.map((x): [unknown, RegExp] => [
      { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(x, 'hex').toString('base64url') },
      /not secure: make a new key pair/,
    ]),
    [getJwk(publicKey, { use: 'enc' }), /for signatures: make one/],
    [getJwk(publicKey, { key_ops: ['encrypt'] }), /for signatures/],
    [getJwk(publicKey, { key_ops: 'verify' }), /for signatures/],
    [getJwk(publicKey, { alg: 'ES256' }), /signs with EdDSA: name this alg/],
    [getJwk(publicKey, { alg: 'none' }), /signs with EdDSA/],
    [getJwk(rsa.publicKey, { alg: 'RS256' }), /signs with PS256/],
    [getJwk(publicKey, { kid: '' }), /expected a kid/],
    [getJwk(publicKey, { kid: 7 }), /expected a kid/],
    [getJwk(publicKey, { kid: 'x'.repeat(256) }), /expected a kid/],
    [{ keys: [] }, /at least one key/],
    [{ keys: Array.from({ length: 11 }, () => getJwk(publicKey)) }, /at most 10/],
    [{ keys: [getJwk(publicKey), getJwk(publicKey)] }, /same kid/],
    ['text', /JSON Web Key/],
    [null, /JSON Web Key/],
  ]
  for (const [jwk, reason] of bad) {
    t.throws(() => parseClientKeys(jwk), reason, `${reason} ${JSON.stringify(jwk).slice(0, 80)}`)
  }
  const [kept] = parseClientKeys(getJwk(publicKey, { extra: 'x', alg: 'Ed25519' }))
  t.same(Object.keys(kept ?? {}).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  t.ok(createPublicKey({ key: { ...kept }, format: 'jwk' }).equals(publicKey))
})
