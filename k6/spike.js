import exec from 'k6/execution'
import { Rate } from 'k6/metrics'
import { isShed, logIn, readAsUsual, thresholds } from './lib.js'

const peak = Number(__ENV.RATE ?? 600)

const shed = new Rate('shed')

/**
 * From next to nothing to thirty times as much within two seconds, and back. Before and after, the contract holds.
 * In the peak what is more than the machine can do is refused at once, with when to come back, and what is
 * answered is answered in time; how much was refused is `shed`.
 */
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
  thresholds: thresholds({
    'http_req_duration{phase:peak,expected_response:true}': ['avg<80'],
    'http_req_duration{phase:after}': ['avg<80'],
    shed: ['rate<0.9'],
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
  const answer = readAsUsual(world, { mayShed: true, tags: { phase, kind: 'peak' } })
  shed.add(isShed(answer))
}
