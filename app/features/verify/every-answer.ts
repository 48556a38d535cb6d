import { createExpect, type Expect, type Expectations, type Failure } from './check.ts'
import { readQuotas } from './quotas.ts'
import { readJson, type ServiceAnswer } from './service.ts'

type Rule = Readonly<{
  section: number
  promise: string
  when?: (answer: ServiceAnswer) => boolean
  headers?: Expectations
  check?: (answer: ServiceAnswer, expect: Expect, base: string) => void
}>

const withinApi = /^\/(v1|webapi)\//

const beforeToken = /"code":"(token_in_query|malformed_request|uri_too_long)"/

const notStored = { 'cache-control': 'no-store', etag: null }

/** Helmet's set without HSTS, which exists only over TLS, and without the content security policy. */
const securityHeaders: Expectations = {
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

const problemMembers = 'type title status code detail request_id errors try violated-policies'.split(' ')

/** See RFC 9457. `base`: origin of the type. */
const expectProblem = (answer: ServiceAnswer, expect: Expect, base: string): void => {
  const { ask, status, headers } = answer
  expect.headers(answer, { ...notStored, 'content-type': 'application/problem+json' })
  if (ask.method === 'HEAD') return
  const someText = { matches: '^.+' }
  expect.json(answer, {
    '/status': status,
    '/type': `${base}/problems/${readJson(answer, '/code')}`,
    '/title': someText,
    '/code': someText,
    '/detail': someText,
    '/request_id': headers['request-id'] ?? null,
  })
  const unknown = Object.keys(readJson(answer, '') ?? {}).filter((name) => !problemMembers.includes(name))
  expect.match(answer, 'further members', unknown, [])
}

/** `resources`: names of resources. */
const createRules = (resources: readonly string[]): Rule[] => {
  const ofRecords = new RegExp(`^(/v1|/webapi/v1/api\\.php)?/(${[...resources, 'changes'].join('|')})\\b`)
  const requestIds = new Set<string>()
  return [
    {
      section: 4,
      promise: 'every answer has security headers, and no Server or X-Powered-By',
      headers: securityHeaders,
    },
    {
      section: 4,
      promise: 'the content security policy of the API allows nothing',
      when: ({ ask }) => withinApi.test(ask.path),
      headers: { 'content-security-policy': "default-src 'none';frame-ancestors 'none'" },
    },
    {
      section: 4,
      promise: 'errors are problem documents with their status',
      when: ({ ask, status }) => status >= 400 && !ask.hasOwnErrors,
      check: expectProblem,
    },
    {
      section: 4,
      promise: 'every answer has a unique Request-Id',
      headers: { 'request-id': { matches: '^[\\w-]{8,}$' } },
      check: (answer, expect) => {
        const id = answer.headers['request-id'] ?? ''
        expect.that(!requestIds.has(id), answer, 'a new Request-Id', id)
        requestIds.add(id)
      },
    },
    {
      section: 4,
      promise: 'every successful authenticated answer has Server-Timing',
      when: ({ ask, status }) => ask.token !== undefined && status < 300,
      headers: { 'server-timing': { matches: '^total;dur=\\d+\\.\\d\\d$' } },
    },
    {
      section: 4,
      promise: 'every data answer has Data-As-Of, including 304',
      when: ({ ask, status }) =>
        ask.token !== undefined && (status === 200 || status === 304) && ofRecords.test(ask.path),
      headers: { 'data-as-of': { matches: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$' } },
    },
    {
      section: 4,
      promise: '/v1/me, the feed and answers to POST are never cached',
      when: ({ ask: { method, path } }) =>
        method === 'POST' || (method !== 'OPTIONS' && /\/(me|changes)(\?|$)/.test(path)),
      headers: notStored,
    },
    {
      section: 8,
      promise: 'every authenticated answer has RateLimit and RateLimit-Policy, and no other has them',
      when: ({ ask, status, bytes }) =>
        ask.token === undefined ||
        (withinApi.test(ask.path) &&
          !beforeToken.test(bytes.toString()) &&
          status !== 401 &&
          ask.method !== 'OPTIONS'),
      check: (answer, expect) => {
        if (answer.ask.token === undefined) return expect.headers(answer, { ratelimit: null })
        const policies = readQuotas(answer.headers).map(({ policy }) => policy)
        expect.match(answer, 'RateLimit and RateLimit-Policy', policies, ['burst', 'minute'])
      },
    },
    {
      section: 10,
      promise: 'a deprecated answer has Sunset and a deprecation link',
      when: ({ headers }) => headers.deprecation !== undefined,
      headers: { sunset: { matches: '.' }, link: { matches: 'rel="deprecation"' } },
    },
  ]
}

export type Observed = Pick<Rule, 'section' | 'promise'> & Readonly<{ failures: Failure[] }>

/** Creates the rules for every answer. `resources`: names of resources. `see` adds the failures of an answer to `observed`. */
export const createObserver = (resources: readonly string[]) => {
  const rules = createRules(resources).map((rule) => ({ ...rule, failures: [] as Failure[] }))
  return {
    observed: rules as readonly Observed[],
    see: (answer: ServiceAnswer, base: string): void => {
      for (const { when = () => true, headers = {}, check, failures } of rules) {
        if (!when(answer)) continue
        const expect = createExpect(failures)
        expect.headers(answer, headers)
        check?.(answer, expect, base)
      }
    },
  }
}
