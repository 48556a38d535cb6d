import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Check, Skipped, type World } from './check.ts'
import { readQuotas } from './quotas.ts'
import { readJson, type ServiceAnswer } from './service.ts'

const take = <T>({ isDemo }: World, cases: readonly T[]): readonly T[] => (isDemo ? cases.slice(0, 1) : cases)

const expectSame = ({ expect }: World, answer: ServiceAnswer, other: ServiceAnswer): void => {
  expect.status(answer, other.status)
  expect.headers(answer, { etag: other.headers.etag ?? null })
  expect.that(answer.bytes.equals(other.bytes), answer, `the body of ${other.ask.path}`, String(answer.bytes))
}

const threeForms = async (world: World): Promise<void> => {
  const { get, expect, base } = world
  for (const path of take(world, ['{list}?limit=3', '{record}'])) {
    const canonical = await get(path)
    expect.status(canonical, 200)
    for (const prefix of ['', '/webapi/v1/api.php']) {
      const other = await get(canonical.ask.path.replace('/v1', prefix))
      expectSame(world, other, canonical)
      const { link = '' } = other.headers
      const expected = `<${base}${canonical.ask.path.split('?')[0]}>; rel="canonical"`
      expect.that(link.includes(expected), other, `Link: ${expected}`, link)
    }
  }
}

/** Headers that may differ between two answers to the same request. */
const momentary =
  /^(date|age|request-id|server-timing|cache-status|ratelimit|data-as-of|connection|keep-alive|transfer-encoding)$/

const headIsGet = async (world: World): Promise<void> => {
  const { get, expect } = world
  const requests: readonly [path: string, headers?: Record<string, string>][] = [
    ['{record}'],
    ['{short}?fields=created_at'],
    ['{list}?limit=100', { 'accept-encoding': 'br' }],
    ['{list}?limit=3', { 'if-none-match': '*' }],
    ['{list}', { accept: 'text/html' }],
    ['{list}?limit=0'],
    ['{list}/nobody'],
    ['/v1/nothing'],
    ['/v1/me'],
  ]
  for (const [path, headers] of take(world, requests)) {
    const full = await get(path, headers)
    const head = await get(path, headers, 'HEAD')
    expect.status(head, full.status)
    expect.that(head.bytes.length === 0, head, 'no body', String(head.bytes))
    const names = Object.keys({ ...full.headers, ...head.headers }).filter((name) => !momentary.test(name))
    expect.headers(head, Object.fromEntries(names.map((name) => [name, full.headers[name] ?? null])))
  }
}

const decoders = { gzip: gunzipSync, br: brotliDecompressSync }

const sameTagInEveryCoding = async (world: World): Promise<void> => {
  const { get, expect } = world
  const plain = await get('{list}?limit=100')
  expect.headers(plain, { 'content-encoding': null })
  if (plain.bytes.length < 2000) throw new Skipped('the answers are too short to be compressed')
  for (const [coding, decode] of take(world, Object.entries(decoders))) {
    const answer = await get('{list}?limit=100', { 'accept-encoding': coding })
    expect.headers(answer, { 'content-encoding': coding })
    if (answer.headers['content-encoding'] === coding)
      expectSame(world, { ...answer, bytes: decode(answer.bytes) }, plain)
  }
}

type Page = { has_more: boolean; next_cursor: string | null; total?: number }

const readPage = (answer: ServiceAnswer) => readJson(answer, '/page') as Page
const readIds = (answer: ServiceAnswer) => (readJson(answer, '/data') as { id: string }[]).map(({ id }) => id)

const mostPages = 5

const pagesInOrder = async ({ get, expect, base, isDemo }: World): Promise<void> => {
  const whole = await get(`{list}?limit=${mostPages * 2}&fields=id&count=exact`)
  const expected = readIds(whole)
  expect.that((readPage(whole).total ?? -1) >= expected.length, whole, 'page.total', readPage(whole))
  const size = Math.max(1, Math.ceil(expected.length / (isDemo ? 2 : mostPages)))
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null && seen.length < expected.length) {
    const answer = await get(`{list}?fields=id&limit=${size}${cursor && `&cursor=${cursor}`}`)
    expect.status(answer, 200)
    if (answer.status !== 200) return
    const page = readPage(answer)
    seen.push(...readIds(answer))
    expect.that(readIds(answer).length <= size, answer, `at most ${size} records`, readIds(answer))
    expect.that(page.has_more === (page.next_cursor !== null), answer, 'a cursor if there is more', page)
    const link = /<([^>]*)>; rel="next"/.exec(answer.headers.link ?? '')?.[1]
    const start = `${base}${whole.ask.path.split('?')[0]}?`
    const isNext = page.next_cursor
      ? link?.startsWith(start) && link.includes(`cursor=${page.next_cursor}`)
      : link === undefined
    expect.that(isNext === true, answer, `Link: <${start}…cursor=${page.next_cursor}>; rel="next"`, link)
    cursor = page.next_cursor
  }
  expect.match(whole, 'the same records, page by page', seen, expected)
}

const quotasCount = async ({ get, expect }: World): Promise<void> => {
  const first = await get('{record}')
  expect.status(await get('{record}', { 'if-none-match': '*' }), 304)
  const account = await get('/v1/me')
  const quotas = readQuotas(account.headers)
  const used = quotas.every(({ quota, remaining }) => remaining < quota)
  expect.that(used, first, 'less than the whole quota', quotas)
  const limits = (readJson(account, '/data/limits') ?? []) as Record<string, unknown>[]
  expect.match(
    account,
    'limits',
    limits.map(({ policy, quota, window_seconds }) => ({ policy, quota, window_seconds })),
    quotas.map(({ policy, quota, windowSeconds: window_seconds }) => ({ policy, quota, window_seconds })),
  )
}

const decode = (part = ''): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString())

const tokenVerifies = async ({ ask, expect, base, token, isDemo, values }: World): Promise<void> => {
  if (isDemo) throw new Skipped('the demo has no key')
  const answer = await ask({ path: '/.well-known/jwks.json' })
  const [head = '', payload = '', signature = ''] = token.split('.')
  const { typ, alg, kid } = decode(head)
  const keys = (readJson(answer, '/keys') ?? []) as (JsonWebKey & { kid: string })[]
  const key = keys.find((each) => each.kid === kid)
  const isSigned =
    key !== undefined &&
    verify(
      null,
      Buffer.from(`${head}.${payload}`),
      createPublicKey({ key, format: 'jwk' }),
      Buffer.from(signature, 'base64url'),
    )
  expect.that(isSigned, answer, `the key ${kid}, which signed the token`, keys)
  const { iss, aud, sub, client_id } = decode(payload)
  const expected = { typ: 'at+jwt', alg: 'EdDSA', iss: base, aud: base, sub: values.keyid }
  expect.match(
    answer,
    'the token',
    [{ typ, alg, iss, aud, sub, client_id }],
    [{ ...expected, client_id: values.keyid }],
  )
}

export const sequences: readonly Check[] = [
  {
    section: 1,
    promise: 'the three forms of a path return the same answer and link to the canonical one',
    run: threeForms,
  },
  { section: 1, promise: 'HEAD returns the headers of GET without a body, also for errors', run: headIsGet },
  {
    section: 3,
    promise: 'pages by cursor return each record once and in order, with a link to the next',
    run: pagesInOrder,
  },
  {
    section: 4,
    promise: 'gzip and br decode to the same bytes and have the same ETag',
    run: sameTagInEveryCoding,
  },
  {
    section: 7,
    promise: 'a token is signed by a published key and names its issuer and client',
    run: tokenVerifies,
  },
  { section: 8, promise: 'RateLimit and /v1/me report the same quotas', run: quotasCount },
]
