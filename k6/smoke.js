import { check, sleep } from 'k6'
import { listResources, logIn, rate, read as readAtOnce, thresholds } from './lib.js'

/** Sends every kind of request once per round, without other load. */
export const options = {
  vus: 1,
  duration: __ENV.DURATION ?? '4s',
  thresholds: thresholds({ checks: ['rate==1'] }),
}

export const setup = () => ({ ...logIn(), resources: listResources() })

/** Waits after each request, so that one after another stays below the rate. @type {typeof readAtOnce} */
const read = (...options) => {
  const answer = readAtOnce(...options)
  if (rate > 0) sleep(1 / rate)
  return answer
}

/** @param {import('./lib.js').World & { resources: string[] }} world */
export default (world) => {
  for (const resource of world.resources) {
    const page = read(world, `/v1/${resource}?limit=10`)
    check(page, { 'an ETag': ({ headers }) => headers.Etag !== undefined })
    const tag = String(page.headers.Etag)
    read(world, `/v1/${resource}?limit=10`, { status: 304, headers: { 'If-None-Match': tag } })
  }
  read(world, `/v1/products/${world.products[0]}`)
  read(world, '/v1/certificates?expiring=true&include=product,country&count=exact')
  read(world, '/v1/products/nothing-here', { status: 404 })
  read(world, '/v1/products?nonsense=1', { status: 400 })
  read(world, '/v1/changes')
  read(world, '/v1/me')
}
