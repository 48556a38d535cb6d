import { listCases } from './cases.ts'
import { type Check, type Failure, Skipped, type World } from './check.ts'
import { createObserver } from './every-answer.ts'
import { feed } from './feed.ts'
import { logins, loginWith } from './login.ts'
import { listQueries } from './queries.ts'
import { sequences } from './sequences.ts'
import { type Ask, createSender, parseBody, type ServiceAnswer, withinHalfOfQuota } from './service.ts'

/** The service or the account cannot be used. The message has the cause and the next step. */
export class CannotVerify extends Error {}

/** `reason`: why the promise was skipped. `failures` is empty unless the promise is broken. */
export type PromiseOutcome = Readonly<{
  section: number
  promise: string
  outcome: 'kept' | 'broken' | 'skipped'
  reason?: string
  failures: readonly Failure[]
}>

export type VerifyOptions = Readonly<{
  origin: string
  /** No outcome contains them. */
  credentials: Readonly<{ apiKey: string } | { demoToken: string }>
  pause: (ms: number) => Promise<void>
}>

/** With the demo, one minute of it is waiting for the quota. */
const longestMs = 120_000

const resourceNames = ['products', 'certificates', 'projects', 'lab', 'approvals', 'countries']

const createDeadline = () => {
  const deadline = performance.now() + longestMs
  return (ms = 0): void => {
    if (performance.now() + ms <= deadline) return
    throw new CannotVerify(
      'The check takes longer than two minutes: other clients use the quota of this key, or the service is slow. Try again later',
    )
  }
}

const describeCause = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException
  return message || code || 'no answer'
}

/** Throws CannotVerify unless this service answers. */
const readIssuer = async (send: (ask: Ask) => Promise<ServiceAnswer>, origin: string): Promise<string> => {
  let answer: ServiceAnswer
  try {
    answer = await send({ path: '/.well-known/oauth-authorization-server' })
  } catch (error) {
    throw new CannotVerify(
      `${origin} does not answer: ${describeCause(error)}. Check the address, and that ${origin}/health/ready answers 200`,
    )
  }
  const { issuer } = (parseBody(answer) ?? {}) as { issuer?: unknown }
  if (typeof issuer === 'string') return issuer
  throw new CannotVerify(
    `${origin} is not this service: it has no issuer in /.well-known/oauth-authorization-server (status ${answer.status}). Check the address`,
  )
}

const readToken = async (
  send: (ask: Ask) => Promise<ServiceAnswer>,
  credentials: VerifyOptions['credentials'],
) => {
  if ('demoToken' in credentials) return credentials.demoToken
  const answer = await send(loginWith(credentials.apiKey))
  const { access_token: token, detail } = (parseBody(answer) ?? {}) as {
    access_token?: string
    detail?: string
  }
  if (token !== undefined) return token
  throw new CannotVerify(`The login is refused with status ${answer.status}: ${detail ?? 'no reason given'}`)
}

const learn = async (ask: World['ask'], token: string): Promise<Pick<World, 'scopes' | 'values'>> => {
  const account = await ask({ path: '/v1/me', token })
  const { data, detail } = (parseBody(account) ?? {}) as { data?: { scopes: string[] }; detail?: string }
  if (data === undefined) {
    throw new CannotVerify(`/v1/me is refused with status ${account.status}: ${detail ?? 'no reason given'}`)
  }
  const { scopes } = data
  for (const name of resourceNames.filter((each) => scopes.includes(`${each}:read`))) {
    const page = await ask({ path: `/v1/${name}?limit=1`, token })
    const { data: rows, page: place } = (parseBody(page) ?? {}) as {
      data?: { id: string }[]
      page?: { next_cursor: string | null }
    }
    if (rows?.[0] && place?.next_cursor) {
      const list = `/v1/${name}`
      return { scopes, values: { list, record: `${list}/${rows[0].id}`, cursor: place.next_cursor } }
    }
  }
  return { scopes, values: {} }
}

const judge = async (
  { section, promise, run }: Check,
  world: World,
  hide: (text: string) => string,
): Promise<PromiseOutcome> => {
  try {
    const failures = (await run(world)).map(({ request, expected, seen }) => ({
      request: hide(request),
      expected: hide(expected),
      seen: hide(seen),
    }))
    return { section, promise, outcome: failures.length > 0 ? 'broken' : 'kept', failures }
  } catch (error) {
    if (error instanceof CannotVerify) throw error
    if (error instanceof Skipped)
      return { section, promise, outcome: 'skipped', reason: error.message, failures: [] }
    const failure = {
      request: 'all requests',
      expected: 'answers as in the contract',
      seen: hide(describeCause(error)),
    }
    return { section, promise, outcome: 'broken', failures: [failure] }
  }
}

/**
 * Checks the promises of the contract against a running service and yields an outcome for each. Revokes one
 * token that it has requested, and changes nothing else. Throws CannotVerify.
 */
export async function* verifyService({
  origin,
  credentials,
  pause,
}: VerifyOptions): AsyncGenerator<PromiseOutcome> {
  const { send, close } = createSender(origin)
  try {
    const base = await readIssuer(send, origin)
    const observer = createObserver()
    const requireTime = createDeadline()
    const paced = withinHalfOfQuota(send, (ms) => {
      requireTime(ms)
      return pause(ms)
    })
    const ask = async (each: Ask): Promise<ServiceAnswer> => {
      requireTime()
      const answer = await paced(each)
      observer.see(answer, base)
      return answer
    }
    const token = await readToken(ask, credentials)
    const isBrief = 'demoToken' in credentials
    const apiKey = 'apiKey' in credentials ? credentials.apiKey : undefined
    const { scopes, values } = await learn(ask, token)
    const world: World = { ask, base, token, apiKey, scopes, values: { ...values, base, origin, token } }
    const secrets = [token, apiKey].filter((each) => each !== undefined)
    const hide = (text: string) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text)
    const checks = [...listCases(isBrief), ...sequences, ...listQueries(isBrief), ...feed, ...logins]
    for (const check of checks.sort((a, b) => a.section - b.section)) yield await judge(check, world, hide)
    for (const check of observer.checks) yield await judge(check, world, hide)
  } finally {
    close()
  }
}
