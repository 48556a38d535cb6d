import { check } from 'k6'
import { anyOf, commonPaths, logIn, read, readAsUsual, thresholds, toArrivals } from './lib.js'

const duration = __ENV.DURATION ?? '30s'

/** @param {string} exec @param {number} part */
const arriving = (exec, part) => ({
  executor: 'constant-arrival-rate',
  exec,
  ...toArrivals(part),
  duration,
  preAllocatedVUs: 30,
  maxVUs: 150,
})

/**
 * Mixes concurrent work of integrators: dashboards, polls with an ETag, walks over all pages, waiting
 * followers.
 */
export const options = {
  scenarios: {
    dashboards: arriving('dashboard', 0.6),
    polls: arriving('poll', 0.3),
    walks: arriving('walk', 0.02),
    fresh: arriving('readFresh', 0.05),
    followers: { executor: 'constant-vus', exec: 'follow', vus: 3, duration },
  },
  thresholds: thresholds({
    'http_req_duration{scenario:fresh}': ['avg<300'],
    'http_req_duration{scenario:polls}': ['avg<80'],
  }),
}

export const setup = logIn

/** @typedef {import('./lib.js').World} World */

/** @param {World} world */
export const dashboard = (world) => readAsUsual(world)

/** @type {Record<string, string>} */
const tags = {}

/** @param {World} world */
export const poll = (world) => {
  const path = anyOf(commonPaths)
  const known = tags[path]
  const answer = read(world, path, known ? { status: 304, headers: { 'If-None-Match': known } } : {})
  tags[path] = String(answer.headers.Etag)
}

/** @param {World} world */
export const walk = (world) => {
  let cursor = ''
  do {
    const answer = read(world, `/v1/products?limit=200${cursor}`, { name: '/v1/products?cursor=…' })
    const next = answer.json('page.next_cursor')
    cursor = next ? `&cursor=${next}` : ''
  } while (cursor !== '')
}

/** Includes a wait of up to 100 ms for the change log, so it has a separate threshold. */
export const readFresh = (/** @type {World} */ world) => {
  const path = `/v1/products/${anyOf(world.products)}`
  const fresh = { 'Cache-Control': 'no-cache' }
  read(world, path, { name: '/v1/products/{id} fresh', headers: fresh, tags: { kind: 'fresh' } })
}

/** @type {string | undefined} */
let token

/** @param {World} world */
export const follow = (world) => {
  const after = token ? `?after=${token}&wait=5` : ''
  // The service holds these requests on purpose, so they do not count as reads.
  const held = { name: '/v1/changes', tags: { kind: 'held' } }
  const answer = read(world, `/v1/changes${after}`, held)
  token = String(answer.json('page.next_token'))
  check(answer, { 'a token to go on from': () => token !== undefined })
}
