import { logIn, readAsUsual, thresholds, toArrivals } from './lib.js'

/** Keeps a constant rate for a minute. */
export const options = {
  scenarios: {
    steady: {
      executor: 'constant-arrival-rate',
      ...toArrivals(),
      duration: __ENV.DURATION ?? '60s',
      preAllocatedVUs: 50,
      maxVUs: 200,
    },
  },
  thresholds: thresholds({ dropped_iterations: ['count<100'] }),
}

export const setup = logIn

/** @param {import('./lib.js').World} world */
export default (world) => readAsUsual(world)
