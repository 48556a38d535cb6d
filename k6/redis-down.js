import exec from 'k6/execution'
import { logIn, readAsUsual, thresholds, toArrivals } from './lib.js'

/** Redis is killed halfway (`npm run k6 -- redis-down` does it). Answers may become slower, but none may fail. */
export const options = {
  scenarios: {
    reading: {
      executor: 'constant-arrival-rate',
      ...toArrivals(),
      duration: '20s',
      preAllocatedVUs: 50,
      maxVUs: 200,
    },
  },
  thresholds: thresholds({
    // Without a memory cache, the service then reads everything from the database.
    'http_req_duration{kind:read}': ['avg<80', 'p(99)<1000'],
    'http_req_failed{kind:read}': ['rate==0'],
    'http_req_duration{redis:up}': ['avg<80'],
    'http_req_duration{redis:killed}': ['avg<80', 'p(99)<1000'],
    'http_req_duration{redis:down}': ['avg<80', 'p(99)<1000'],
  }),
}

export const setup = logIn

/** The middle is approximate: the runner's clock starts slightly before ours. */
const stateOf = (/** @type {number} */ progress) => {
  if (progress < 0.4) return 'up'
  return progress < 0.6 ? 'killed' : 'down'
}

/** @param {import('./lib.js').World} world */
export default (world) => {
  readAsUsual(world, { tags: { redis: stateOf(exec.scenario.progress) } })
}
