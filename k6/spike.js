import exec from 'k6/execution'
import { Rate } from 'k6/metrics'
import { isOverloaded, logIn, readAsUsual, thresholds, toArrivals } from './lib.js'

const { rate: peak, timeUnit } = toArrivals()
const { rate: base } = toArrivals(1 / 30)

const overloaded = new Rate('overloaded')

/**
 * Raises the load thirtyfold within two seconds, and lowers it again. Before and after, the contract holds. In the
 * peak, a request that needs the database waits at most one second in the queue (QUEUE_SECONDS) and is refused then.
 * `overloaded` is the share of requests of the peak that were refused.
 */
export const options = {
  scenarios: {
    spike: {
      executor: 'ramping-arrival-rate',
      startRate: base,
      timeUnit,
      stages: [
        { duration: '10s', target: base },
        { duration: '2s', target: peak },
        { duration: '15s', target: peak },
        { duration: '2s', target: base },
        { duration: '10s', target: base },
      ],
      preAllocatedVUs: 200,
      maxVUs: 600,
    },
  },
  thresholds: thresholds({
    // The queue's deadline. k6 itself needs much of the same processors in the peak, so the slowest do not count.
    'http_req_duration{phase:peak}': ['p(95)<1000'],
    'http_req_duration{phase:after}': ['avg<80'],
    overloaded: ['rate<0.1'],
  }),
}

export const setup = logIn

/** The ramps are part of the peak, and so are two seconds after it. */
const phaseOf = (/** @type {number} */ progress) => {
  if (progress < 10 / 39) return 'before'
  return progress < 31 / 39 ? 'peak' : 'after'
}

/** @param {import('./lib.js').World} world */
export default (world) => {
  const phase = phaseOf(exec.scenario.progress)
  if (phase !== 'peak') return readAsUsual(world, { tags: { phase } })
  const answer = readAsUsual(world, { mayRefuse: true, tags: { phase, kind: 'peak' } })
  overloaded.add(isOverloaded(answer))
}
