import { check, fail } from 'k6'
import http from 'k6/http'
import { Counter } from 'k6/metrics'

/** The address of the service, and the key of a customer with records. `npm run k6` sets both: see README.md. */
const url = __ENV.URL
const apiKey = __ENV.API_KEY

/** Requests a second. `npm run k6` sets it, except for `smoke` on a service of its own. */
export const rate = Number(__ENV.RATE)

/** The fields of a scenario for a part of the rate. Counted a minute, because k6 takes whole numbers only. */
export const toArrivals = (part = 1) => ({
  rate: Math.max(1, Math.round(rate * part * 60)),
  timeUnit: '1m',
})

/** Answers 429: the quota was used up, so they say nothing about the service. */
const quotaRefusals = new Counter('quota_refusals')

/** The customer's contract: average below 80 ms, 99 % answered. */
export const contract = {
  'http_req_duration{kind:read}': ['avg<80'],
  'http_req_failed{kind:read}': ['rate<0.01'],
}

/**
 * Our thresholds, on a machine with other work. `more` adds thresholds.
 * @param {Record<string, string[]>} [more]
 */
export const thresholds = (more = {}) => ({
  'http_req_duration{kind:read}': [...contract['http_req_duration{kind:read}'], 'p(95)<150', 'p(99)<400'],
  'http_req_failed{kind:read}': [...contract['http_req_failed{kind:read}'], 'rate<0.001'],
  checks: ['rate>0.999'],
  ...more,
})

/**
 * Logs in once per script, and lists ids for the requests.
 * @typedef {{ token: string, products: string[], certificates: string[] }} World
 * @returns {World}
 */
export const logIn = () => {
  if (!url || !apiKey)
    fail('URL and API_KEY are needed: start it with `npm run k6 -- <script> [--url <origin>]`')
  const body = JSON.stringify({ api_key: apiKey })
  const login = http.post(`${url}/v1/auth/login`, body, { headers: { 'Content-Type': 'application/json' } })
  if (login.status !== 200) fail(`no login: ${login.status} ${login.body}`)
  const token = String(login.json('access_token'))
  const idsOf = (/** @type {string} */ resource) => {
    const answer = http.get(`${url}/v1/${resource}?limit=500&fields=id`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    const { data } = /** @type {{ data: { id: string }[] }} */ (/** @type {unknown} */ (answer.json()))
    return data.map(({ id }) => id)
  }
  const products = idsOf('products')
  if (products.length === 0) fail('The customer of this key has no products: give the key of another one')
  return { token, products, certificates: idsOf('certificates') }
}

/** Lists the resources that the service describes: paths of lists whose records have a path, too. */
export const listResources = () => {
  const paths = Object.keys(/** @type {object} */ (http.get(`${url}/openapi.json`).json('paths')))
  return paths.filter((path) => paths.includes(`${path}/{id}`)).map((path) => path.replace('/v1/', ''))
}

/** @template T @param {T[]} list @returns {T} */
export const anyOf = (list) => /** @type {T} */ (list[Math.floor(Math.random() * list.length)])

/**
 * Whether the service refused the request because it waited too long in the queue: 503 with `Retry-After`.
 * @param {import('k6/http').RefinedResponse<any>} answer
 */
export const isOverloaded = ({ status, headers }) => status === 503 && headers['Retry-After'] !== undefined

/**
 * Sends one read and checks its status. k6 counts it under `name`, so that ids do not make a series each.
 * With `mayRefuse`, a refusal for overload does not count as a failure.
 * @param {World} world
 * @param {string} path
 * @param {{ name?: string, status?: number, mayRefuse?: boolean, headers?: Record<string, string>, tags?: Record<string, string> }} [options]
 */
export const read = (
  { token },
  path,
  { name, status = 200, mayRefuse = false, headers = {}, tags = {} } = {},
) => {
  const answer = http.get(`${url}${path}`, {
    headers: { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'gzip', ...headers },
    tags: { kind: 'read', name: name ?? path, ...tags },
    responseCallback: http.expectedStatuses(status),
  })
  if (answer.status === 429) {
    quotaRefusals.add(1)
    check(answer, { 'within the quota, not 429': () => false })
    return answer
  }
  check(answer, {
    'the status expected': (each) => each.status === status || (mayRefuse && isOverloaded(each)),
  })
  return answer
}

/** Frequently requested paths, as by a dashboard. */
export const commonPaths = [
  '/v1/certificates?expiring=true&sort=valid_until&limit=50',
  '/v1/certificates?validity=valid&include=product',
  '/v1/products?product_status=active',
  '/v1/approvals?open=true&count=exact',
  '/v1/countries?region=europe',
]

/**
 * Sends one request of a typical mix: mostly cached, sometimes new.
 * @param {World} world
 * @param {{ mayRefuse?: boolean, tags?: Record<string, string> }} [options]
 */
export const readAsUsual = (world, options = {}) => {
  const dice = Math.random()
  if (dice < 0.6) return read(world, anyOf(commonPaths), options)
  if (dice < 0.9)
    return read(world, `/v1/products/${anyOf(world.products)}`, { name: '/v1/products/{id}', ...options })
  const day = `2031-${String(1 + Math.floor(Math.random() * 12)).padStart(2, '0')}-15`
  const path = `/v1/certificates?valid_until[lt]=${day}&limit=20&product_id[ne]=p${Math.random()}`
  return read(world, path, { name: '/v1/certificates?valid_until[lt]=…', ...options })
}
