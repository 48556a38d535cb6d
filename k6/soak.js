import exec from 'k6/execution'
import { logIn, readAsUsual, thresholds, toArrivals } from './lib.js'

/** A moderate rate for a long time. A leak makes the last third slower than the contract. */
export const options = {
  scenarios: {
    soak: {
      executor: 'constant-arrival-rate',
      ...toArrivals(),
      duration: __ENV.DURATION ?? '30m',
      preAllocatedVUs: 20,
      maxVUs: 100,
    },
  },
  thresholds: thresholds({
    'http_req_duration{third:first}': ['avg<80'],
    'http_req_duration{third:last}': ['avg<80', 'p(99)<400'],
  }),
}

// An access token lives an hour. For a longer run, set ACCESS_TOKEN_SECONDS (at most a day).
export const setup = logIn

const thirds = ['first', 'middle', 'last']

/** @param {import('./lib.js').World} world */
export default (world) => {
  const third = thirds[Math.min(2, Math.floor(exec.scenario.progress * 3))]
  readAsUsual(world, { tags: { third: String(third) } })
}
