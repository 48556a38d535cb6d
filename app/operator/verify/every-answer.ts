import { type Check, expectThat, type Failure } from './check.ts'
import { readQuotas } from './quotas.ts'
import { parseBody, type ServiceAnswer } from './service.ts'

type Rule = (answer: ServiceAnswer, base: string) => Failure[]

const withinApi = /^\/(v1|webapi)\//
/** Errors that come before the token is read. */
const beforeToken = /"code":"(token_in_query|malformed_request|uri_too_long)"/
const isData = ({ ask, status }: ServiceAnswer): boolean =>
  ask.token !== undefined &&
  (status === 200 || status === 304) &&
  /^(\/v1|\/webapi\/v1\/api\.php)?\/(certificates|products|projects|countries|lab|approvals|changes)\b/.test(
    ask.path,
  )

const expectHeaders = (
  { ask, headers }: ServiceAnswer,
  expected: Readonly<Record<string, string | null>>,
): Failure[] =>
  Object.entries(expected).flatMap(([name, value]) => {
    const seen = headers[name] ?? null
    return expectThat(seen === value, ask, `${name}: ${value}`, `${name}: ${seen}`)
  })

/** Helmet's set without HSTS, which exists only over TLS. */
const securityHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
  server: null,
  'x-powered-by': null,
}

const expectProblem = (answer: ServiceAnswer, base: string): Failure[] => {
  const { ask, status, headers } = answer
  if (status < 400 || ask.path.startsWith('/v1/oauth/')) return []
  const noStore = expectHeaders(answer, { 'cache-control': 'no-store', etag: null })
  const type = expectHeaders(answer, { 'content-type': 'application/problem+json' })
  const body = ask.method === 'HEAD' ? undefined : parseBody(answer)
  if (body === undefined) return [...noStore, ...type]
  const problem = body as Record<string, unknown>
  const { title, code, detail } = problem
  const known = [
    'type',
    'title',
    'status',
    'code',
    'detail',
    'request_id',
    'errors',
    'try',
    'violated-policies',
  ]
  return [
    ...noStore,
    ...type,
    ...expectThat(problem.status === status, ask, `status ${status} in the body`, problem.status),
    ...expectThat(
      problem.type === `${base}/problems/${code}`,
      ask,
      `type ${base}/problems/${code}`,
      problem.type,
    ),
    ...expectThat(
      [title, code, detail].every((each) => typeof each === 'string' && each !== ''),
      ask,
      'title, code and detail',
      problem,
    ),
    ...expectThat(
      problem.request_id === headers['request-id'],
      ask,
      `request_id ${headers['request-id']}`,
      problem.request_id,
    ),
    ...expectThat(
      Object.keys(problem).every((name) => known.includes(name)),
      ask,
      `only the members ${known.join(' ')}`,
      problem,
    ),
  ]
}

const createRules = (): [section: number, promise: string, rule: Rule][] => {
  const requestIds = new Set<string>()
  return [
    [
      4,
      'security headers are on every answer, and no Server or X-Powered-By',
      (answer) => expectHeaders(answer, securityHeaders),
    ],
    [
      4,
      'the content security policy of the API allows nothing',
      (answer) =>
        withinApi.test(answer.ask.path)
          ? expectHeaders(answer, { 'content-security-policy': "default-src 'none';frame-ancestors 'none'" })
          : [],
    ],
    [4, 'errors are problem documents with their status', expectProblem],
    [
      4,
      'Request-Id is on every answer, and each is different',
      ({ ask, headers }) => {
        const id = headers['request-id'] ?? ''
        const isNew = !requestIds.has(id)
        requestIds.add(id)
        return expectThat(/^[\w-]{8,}$/.test(id) && isNew, ask, 'a new Request-Id', id)
      },
    ],
    [
      4,
      'Server-Timing is on every answer to a token',
      ({ ask, status, headers }) => {
        const timing = headers['server-timing']
        const isTimed = ask.token === undefined || status >= 300 || /^total;dur=\d+\.\d\d$/.test(timing ?? '')
        return expectThat(isTimed, ask, 'Server-Timing: total;dur=…', timing)
      },
    ],
    [
      4,
      'Data-As-Of is on every data answer, 304 included',
      (answer) => {
        const instant = answer.headers['data-as-of'] ?? ''
        const isGood = !isData(answer) || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(instant)
        return expectThat(isGood, answer.ask, 'Data-As-Of: an instant with six decimals', instant)
      },
    ],
    [
      4,
      '/v1/me, the feed and answers to POST are never stored',
      (answer) => {
        const { method, path } = answer.ask
        const isStored = method !== 'POST' && !/\/(me|changes)(\?|$)/.test(path)
        if (isStored || method === 'OPTIONS') return []
        return expectHeaders(answer, { 'cache-control': 'no-store', etag: null })
      },
    ],
    [
      8,
      'RateLimit and RateLimit-Policy are on every authenticated answer, 304 included, and on no other',
      (answer) => {
        const { ask, status, headers } = answer
        const policies = readQuotas(headers).map(({ policy }) => policy)
        if (ask.token === undefined)
          return expectThat(headers.ratelimit === undefined, ask, 'no RateLimit', headers.ratelimit)
        const isJudgedBefore = beforeToken.test(answer.bytes.toString())
        if (!withinApi.test(ask.path) || isJudgedBefore || status === 401 || ask.method === 'OPTIONS')
          return []
        const isComplete = ['burst', 'minute'].every((name) => policies.includes(name))
        return expectThat(isComplete, ask, 'RateLimit and RateLimit-Policy', headers.ratelimit)
      },
    ],
    [
      10,
      'a deprecated answer names its end and its successor',
      ({ ask, headers }) => {
        const { deprecation, sunset, link = '' } = headers
        const isGood =
          deprecation === undefined || (sunset !== undefined && link.includes('rel="deprecation"'))
        return expectThat(isGood, ask, 'Sunset, and Link with rel="deprecation"', headers)
      },
    ],
  ]
}

/** Promises about every answer. `see` judges one; the checks report at most three failures each. */
export const createObserver = (): { see: (answer: ServiceAnswer, base: string) => void; checks: Check[] } => {
  const rules = createRules().map(([section, promise, rule]) => ({
    ...{ section, promise, rule },
    failures: [] as Failure[],
  }))
  return {
    see: (answer, base) => {
      for (const { rule, failures } of rules) failures.push(...rule(answer, base))
    },
    checks: rules.map(({ section, promise, failures }) => ({
      ...{ section, promise },
      run: async () => failures.slice(0, 3),
    })),
  }
}
