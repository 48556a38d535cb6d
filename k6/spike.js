import { logIn, readAsUsual, thresholds } from './lib.js'

const peak = Number(__ENV.RATE ?? 600)

/** From next to nothing to thirty times as much within two seconds, and back. */
export const options = {
  scenarios: {
    spike: {
      executor: 'ramping-arrival-rate',
      startRate: peak / 30,
      stages: [
        { duration: '10s', target: peak / 30 },
        { duration: '2s', target: peak },
        { duration: '15s', target: peak },
        { duration: '2s', target: peak / 30 },
        { duration: '10s', target: peak / 30 },
      ],
      preAllocatedVUs: 200,
      maxVUs: 600,
    },
  },
  thresholds: thresholds(),
}

export const setup = logIn

/** @param {import('./lib.js').World} world */
export default (world) => readAsUsual(world)
