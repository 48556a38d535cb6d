import { canonicalPath } from '../audit/read-counts.ts'
import type { Principal } from '../identity/principal.ts'
import { byLabel, counter, type Figure, histogram, type Labels } from './figures.ts'
import type { AnswerSource, SentAnswer } from './sent-answer.ts'

/** These metrics never show who the client is. `none` if the client is unknown. */
type PlanLabel = 'basic' | 'premium' | 'enterprise' | 'demo' | 'none'

/** Seconds. 0.08: the promised average, and our objective for 99 % of answers. Long polls take up to 25 s. */
const bounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.08, 0.15, 0.3, 0.6, 1.2, 2.5, 5, 30,
] as const

/** The service has fewer routes. Routes above this number share one label. */
const maxRoutes = 500

const plans: readonly PlanLabel[] = ['basic', 'premium', 'enterprise', 'demo', 'none']
const statusesOfAll = [200, 400, 404, 405, 406, 429, 500, 503]
/** Further statuses of known clients, of unknown clients, and of requests that match no route. */
const statusesOfKnown = [304, 403, 410, 412]
const statusesOfUnknown = [202, 204, 304, 308, 401, 403, 408, 412, 413, 415, 501, 505]
const statusesOfUnrouted = [308, 401, 403, 408, 413, 414, 431, 501, 505]
/** Of clients that a route always refuses. */
const statusesOfRefused = [400, 403, 404, 405, 429, 500, 503]
/** All pages below one of these paths share one label. */
const kinds = /^\/(docs\/guides|problems|assets)\/.+/
const allSources: readonly AnswerSource[] = ['memory', 'redis', 'database', 'stale']
const unknownRoute = 'unknown'
const firstError = 400

/** Known clients of a route. */
type RouteClients = Readonly<{ served: readonly PlanLabel[]; refused: readonly PlanLabel[] }>

type Times = {
  /** Not cumulative. The last bucket is above all bounds. */
  buckets: number[]
  seconds: number
}

type RouteCounts = Readonly<{ times: Times; byPlan: Readonly<Record<PlanLabel, Map<number, number>>> }>

const getPlan = (principal: Principal | undefined): PlanLabel => {
  if (!principal) return 'none'
  return principal.kind === 'demo' ? 'demo' : principal.plan
}

const noTimes = (): Times => ({ buckets: Array.from({ length: bounds.length + 1 }, () => 0), seconds: 0 })

const newCounts = (): RouteCounts => ({
  times: noTimes(),
  byPlan: { basic: new Map(), premium: new Map(), enterprise: new Map(), demo: new Map(), none: new Map() },
})

const addTime = (times: Times, seconds: number): void => {
  let bucket = 0
  while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1
  times.buckets[bucket] = (times.buckets[bucket] as number) + 1
  times.seconds += seconds
}

const addTo = <Key>(counts: Map<Key, number>, key: Key): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

const readTimes = ({ buckets, seconds }: Times, labels: Labels) => {
  let count = 0
  const samples = buckets.map((each, index) => {
    count += each
    return [{ le: String(bounds[index] ?? '+Inf'), ...labels }, count, '_bucket'] as const
  })
  return [...samples, [labels, seconds, '_sum'] as const, [labels, count, '_count'] as const]
}

/**
 * Counts requests by route, plan and status, durations by route, and answers by data source. Plain numbers
 * take a fifth of prom-client's time. Durations have no plan label: 18 series a route instead of 90.
 * `addRoute` creates a route's series with 0, because `increase()` ignores the first value of a series.
 */
export const createRequestMetrics = () => {
  const labelCounts = new Map<string, RouteCounts>()
  const routeCounts = new Map<string, RouteCounts>()
  const sources = new Map<AnswerSource, number>(allSources.map((source) => [source, 0]))
  const data = noTimes()

  const addCounts = (route: string): RouteCounts => {
    const isKnown = route !== '' && routeCounts.size < maxRoutes
    const label = isKnown ? `/${canonicalPath(route)}`.replace(kinds, '/$1/*') : unknownRoute
    const counts = labelCounts.get(label) ?? newCounts()
    labelCounts.set(label, counts)
    if (isKnown) routeCounts.set(route, counts)
    return counts
  }
  const getCounts = (route: string): RouteCounts => routeCounts.get(route) ?? addCounts(route)

  const countAnswer = ({ route = '', principal, status, ms, source }: SentAnswer) => {
    const seconds = ms / 1000
    const { times, byPlan } = getCounts(route)
    addTo(byPlan[getPlan(principal)], status)
    addTime(times, seconds)
    if (source === 'none' || status >= firstError) return
    addTo(sources, source)
    addTime(data, seconds)
  }

  const addSeries = (route: string, plan: PlanLabel, statuses: readonly number[]) => {
    const counts = getCounts(route).byPlan[plan]
    for (const status of statuses) counts.set(status, counts.get(status) ?? 0)
  }
  const addRoute = (route: string, known: RouteClients = { served: [], refused: [] }) => {
    addSeries(route, 'none', [...statusesOfAll, ...statusesOfUnknown])
    for (const plan of known.served) addSeries(route, plan, [...statusesOfAll, ...statusesOfKnown])
    for (const plan of known.refused) addSeries(route, plan, statusesOfRefused)
  }
  for (const plan of plans) addSeries('', plan, [...statusesOfAll, ...statusesOfUnrouted])

  const listSeries = () =>
    [...labelCounts].flatMap(([route, { byPlan }]) =>
      Object.entries(byPlan).flatMap(([plan, counts]) =>
        [...counts].map(([status, count]) => [{ route, plan, status: String(status) }, count] as const),
      ),
    )
  const figures: readonly Figure[] = [
    counter('certdata_http_requests_total', 'Answers by route pattern, customer plan and status', listSeries),
    histogram(
      'certdata_http_request_duration_seconds',
      'Time from the arrival of a request to the end of its answer, by route pattern',
      () => [...labelCounts].flatMap(([route, { times }]) => readTimes(times, { route })),
    ),
    histogram(
      'certdata_data_duration_seconds',
      'Duration of the answers that count for the objective: answers with data and 304, without streams and errors',
      () => readTimes(data, {}),
    ),
    counter('certdata_answers_total', 'Answers with data, 304 included, by source of the data', () =>
      byLabel('source', sources),
    ),
  ]
  return { countAnswer, addRoute, figures }
}
