import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Check, expectStatus, expectThat, type Failure, Skipped, type World } from './check.ts'
import { readQuotas } from './quotas.ts'
import { type Ask, parseBody, type ServiceAnswer } from './service.ts'

type Page = {
  data: { id: string }[]
  page: { has_more: boolean; next_cursor: string | null; total?: number }
}

const readPage = (answer: ServiceAnswer): Page => parseBody(answer) as Page

const need = ({ values }: World, name: string): string => {
  const value = values[name]
  if (value === undefined) throw new Skipped(`there is no ${name} to read`)
  return value
}

/** Returns only the first case for the demo, which has few requests. */
const take = <T>({ apiKey }: World, cases: readonly T[]): readonly T[] =>
  apiKey === undefined ? cases.slice(0, 1) : cases

const get = ({ ask, token }: World, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  ask({ path, headers, method, token })

const expectSame = (answer: ServiceAnswer, other: ServiceAnswer): Failure[] => [
  ...expectStatus(answer, other.status),
  ...expectThat(
    answer.headers.etag === other.headers.etag,
    answer.ask,
    `ETag ${other.headers.etag}`,
    answer.headers.etag,
  ),
  ...expectThat(
    answer.bytes.equals(other.bytes),
    answer.ask,
    `the body of ${other.ask.path}`,
    answer.bytes.toString(),
  ),
]

const threeForms = async (world: World): Promise<Failure[]> => {
  const failures: Failure[] = []
  for (const path of take(world, [`${need(world, 'list')}?limit=3`, need(world, 'record')])) {
    const canonical = await get(world, path)
    failures.push(...expectStatus(canonical, 200))
    for (const prefix of ['', '/webapi/v1/api.php']) {
      const other = await get(world, path.replace('/v1', prefix))
      const link = `<${world.base}${path}>; rel="canonical"`
      failures.push(
        ...expectSame(other, canonical),
        ...expectThat(
          (other.headers.link ?? '').includes(link),
          other.ask,
          `Link: ${link}`,
          other.headers.link,
        ),
      )
    }
  }
  return failures
}

/** Headers that may differ between two answers to the same request. */
const momentary =
  /^(date|age|request-id|server-timing|cache-status|ratelimit|data-as-of|connection|keep-alive|transfer-encoding)$/

const headIsGet = async (world: World): Promise<Failure[]> => {
  const failures: Failure[] = []
  const [list, record] = [need(world, 'list'), need(world, 'record')]
  const asked: readonly [path: string, headers?: Record<string, string>][] = [
    [record],
    [`${record.replace('/v1', '')}?fields=created_at`],
    [`${list}?limit=100`, { 'accept-encoding': 'br' }],
    [`${list}?limit=3`, { 'if-none-match': '*' }],
    [list, { accept: 'text/html' }],
    [`${list}?limit=0`],
    [`${list}/nobody`],
    ['/v1/nothing'],
    ['/v1/me'],
  ]
  for (const [path, headers] of take(world, asked)) {
    const full = await get(world, path, headers)
    const head = await get(world, path, headers, 'HEAD')
    failures.push(
      ...expectStatus(head, full.status),
      ...expectThat(head.bytes.length === 0, head.ask, 'no body', head.bytes),
    )
    for (const name of new Set([...Object.keys(full.headers), ...Object.keys(head.headers)])) {
      if (momentary.test(name)) continue
      const [expected, seen] = [full.headers[name], head.headers[name]]
      failures.push(...expectThat(seen === expected, head.ask, `${name}: ${expected}`, `${name}: ${seen}`))
    }
  }
  return failures
}

const decoders = { gzip: gunzipSync, br: brotliDecompressSync }

const sameTagInEveryCoding = async (world: World): Promise<Failure[]> => {
  const path = `${need(world, 'list')}?limit=100`
  const plain = await get(world, path)
  const failures = expectThat(
    plain.headers['content-encoding'] === undefined,
    plain.ask,
    'no coding',
    plain.headers,
  )
  if (plain.bytes.length < 2000) throw new Skipped('the answers are too short to be compressed')
  for (const [coding, decode] of take(world, Object.entries(decoders))) {
    const answer = await get(world, path, { 'accept-encoding': coding })
    const seen = answer.headers['content-encoding']
    failures.push(...expectThat(seen === coding, answer.ask, `Content-Encoding: ${coding}`, seen))
    if (seen === coding) failures.push(...expectSame({ ...answer, bytes: decode(answer.bytes) }, plain))
  }
  return failures
}

const mostPages = 5

const pagesInOrder = async (world: World): Promise<Failure[]> => {
  const list = need(world, 'list')
  const whole = await get(world, `${list}?limit=${mostPages * 2}&fields=id&count=exact`)
  const expected = readPage(whole).data.map(({ id }) => id)
  const failures: Failure[] = []
  const seen: string[] = []
  const size = Math.max(1, Math.ceil(expected.length / (world.apiKey === undefined ? 2 : mostPages)))
  let next: string | undefined = `${list}?fields=id&limit=${size}`
  let ask: Ask = whole.ask
  while (next !== undefined && seen.length < expected.length) {
    const answer = await get(world, next)
    ask = answer.ask
    failures.push(...expectStatus(answer, 200))
    if (answer.status !== 200) return failures
    const { data, page } = readPage(answer)
    seen.push(...data.map(({ id }) => id))
    failures.push(...expectThat(data.length <= size, ask, `at most ${size} records`, data.length))
    const link = /<([^>]*)>; rel="next"/.exec(answer.headers.link ?? '')?.[1]
    const target: string | null =
      page.next_cursor && `${next.split('&cursor=')[0]}&cursor=${page.next_cursor}`
    failures.push(
      ...expectThat(page.has_more === (page.next_cursor !== null), ask, 'a cursor if there is more', page),
      ...expectThat(
        link === undefined
          ? !target
          : link.startsWith(`${world.base}${list}?`) && link.includes(String(page.next_cursor)),
        ask,
        `Link: <${world.base}${target}>; rel="next"`,
        answer.headers.link,
      ),
    )
    next = target ?? undefined
  }
  failures.push(
    ...expectThat(seen.join() === expected.join(), ask, `the records ${expected.join(' ')}`, seen.join(' ')),
    ...expectThat(
      (readPage(whole).page.total ?? -1) >= expected.length,
      whole.ask,
      'page.total',
      readPage(whole).page,
    ),
  )
  return failures
}

const quotasCount = async (world: World): Promise<Failure[]> => {
  const path = need(world, 'record')
  const first = await get(world, path)
  const unmodified = await get(world, path, { 'if-none-match': '*' })
  const account = await get(world, '/v1/me')
  const quotas = readQuotas(account.headers)
  const shown = (parseBody(account) as { data?: { limits?: object[] } }).data?.limits ?? []
  const expected = quotas.map(({ policy, quota, windowSeconds }) => ({
    policy,
    quota,
    window_seconds: windowSeconds,
  }))
  const seen = (shown as Record<string, unknown>[]).map(({ policy, quota, window_seconds }) => ({
    policy,
    quota,
    window_seconds,
  }))
  return [
    ...expectThat(
      JSON.stringify(seen) === JSON.stringify(expected),
      account.ask,
      JSON.stringify(expected),
      seen,
    ),
    ...expectThat(
      quotas.every(({ quota, remaining }) => remaining < quota),
      first.ask,
      'less than the whole quota',
      quotas,
    ),
    ...expectStatus(unmodified, 304),
  ]
}

/** Promises that compare several answers. */
export const sequences: readonly Check[] = [
  {
    section: 1,
    promise: 'the three forms of a path answer the same and name the canonical one',
    run: threeForms,
  },
  { section: 1, promise: 'HEAD has the headers of GET and no body, errors included', run: headIsGet },
  {
    section: 3,
    promise: 'pages by cursor show each record once, in order, and Link leads on',
    run: pagesInOrder,
  },
  { section: 4, promise: 'gzip and br are the same bytes under the same tag', run: sameTagInEveryCoding },
  { section: 8, promise: 'RateLimit and /v1/me show the same quotas', run: quotasCount },
]
