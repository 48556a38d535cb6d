import fp from 'fastify-plugin'
import { Registry } from 'prom-client'
import type { RedisFigures } from '../app/db/redis.ts'
import { ApiError, catalogue, type ErrorCode } from '../app/errors.ts'
import { readKeyExpiry } from '../app/identity/key-expiry.ts'
import { policyNames } from '../app/limits/store.ts'
import { createCustomerMetrics } from '../app/observe/customer-metrics.ts'
import { byLabel, counter, createSlowFigure, type Figure, registerFigures } from '../app/observe/figures.ts'
import { createRequestMetrics } from '../app/observe/request-metrics.ts'
import type { SentAnswer } from '../app/observe/sent-answer.ts'
import {
  listConnectionFigures,
  listKeyFigures,
  listProcessFigures,
  listSpanFigures,
  listStoreFigures,
} from '../app/observe/service-metrics.ts'
import packageJson from '../package.json' with { type: 'json' }
import type { Deps } from './deps.ts'

declare module 'fastify' {
  interface FastifyInstance {
    metrics: {
      add(figures: readonly Figure[]): void
      countAnswer(answer: SentAnswer): void
      read(): Promise<{ type: string; text: string }>
      readJson(): Promise<object[]>
    }
  }
}

const loginOutcomes: readonly ('ok' | ErrorCode)[] = [
  'ok',
  'invalid_api_key',
  'plan_required',
  'network_not_allowed',
  'quota_exceeded',
  'overloaded',
  'unavailable',
  'internal_error',
  'malformed_request',
  'invalid_body',
]

/** All counts start at 0, because `increase()` does not see the first value of a new series. */
const createCounts = (names: readonly string[]) => {
  const counts = new Map(names.map((name) => [name, 0]))
  const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  return { counts, add }
}

/** All keys are read. */
const keyExpiryKeptMs = 60_000

const readRedis = ({ shared, limitStore }: Deps): Record<string, RedisFigures> => {
  const found: Record<string, RedisFigures> = {}
  const cache = shared?.figures?.()
  if (cache) found.cache = cache
  if (limitStore) {
    const { isDown, isRefused } = limitStore
    found.limits = { isUp: !isDown && !isRefused, isBreakerOpen: isDown }
  }
  return found
}

export default fp<Deps>(
  async (app, deps) => {
    const { reserved, monotonicNow: now, isDraining, logStream, figures: given } = deps
    const processRegistry = given?.process
    const registry = new Registry()
    const add = (figures: readonly Figure[]) => registerFigures(registry, figures)
    const whole = () => (processRegistry ? Registry.merge([registry, processRegistry]) : registry)
    const { countAnswer, addRoute, figures } = createRequestMetrics()
    const customers = deps.config.metricsCustomers ? createCustomerMetrics(deps.now) : undefined
    app.addHook('onRoute', ({ url, config }) => {
      if (config?.mayAuthenticate)
        addRoute(url, { served: ['basic', 'premium', 'enterprise', 'demo'], refused: [] })
      else if (config?.scope === undefined) addRoute(url)
      else if (config.demo === false)
        addRoute(url, { served: ['premium', 'enterprise'], refused: ['basic', 'demo'] })
      else addRoute(url, { served: ['premium', 'enterprise', 'demo'], refused: ['basic'] })
    })
    const logins = createCounts(loginOutcomes)
    app.onLogin((event) => {
      if (event.type === 'signed' || !event.isLogin) return
      const error = event.type === 'refused' ? event.error : undefined
      logins.add(event.type === 'accepted' ? 'ok' : error instanceof ApiError ? error.code : 'internal_error')
    })
    const problems = createCounts([...Object.keys(catalogue), 'other'])
    const refusals = createCounts(policyNames)
    app.addHook('onError', (_request, _reply, error: Error, done) => {
      const { code, extras } = error instanceof ApiError ? error : { code: 'other', extras: undefined }
      problems.add(code)
      for (const policy of extras?.violatedPolicies ?? []) refusals.add(policy)
      done()
    })

    add([
      ...figures,
      ...(customers?.figures ?? []),
      counter('certdata_logins_total', 'Checks of API keys by outcome', () =>
        byLabel('outcome', logins.counts),
      ),
      counter('certdata_problems_total', 'Errors by code', () => byLabel('code', problems.counts)),
      counter('certdata_limits_refused_total', 'Requests over a quota, by policy', () =>
        byLabel('policy', refusals.counts),
      ),
      ...listStoreFigures({ pools: given?.pools, redis: () => readRedis(deps) }),
      ...listConnectionFigures(app.connections.figures),
      ...listKeyFigures(
        createSlowFigure({ read: () => readKeyExpiry(reserved), now, keptMs: keyExpiryKeptMs }),
      ),
      ...listSpanFigures(deps.tracing?.spans),
      ...listProcessFigures({
        version: packageJson.version,
        isDraining,
        logLinesLost: () => logStream?.lost ?? 0,
      }),
    ])
    app.decorate('metrics', {
      add,
      countAnswer: customers
        ? (answer) => {
            countAnswer(answer)
            customers.countAnswer(answer)
          }
        : countAnswer,
      read: async () => ({ type: registry.contentType, text: await whole().metrics() }),
      readJson: () => whole().getMetricsAsJSON() as Promise<object[]>,
    })
  },
  { name: 'metrics', dependencies: ['auth'], fastify: '5.x' },
)
