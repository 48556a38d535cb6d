import {
  CannotVerify,
  type Credentials,
  describeCause,
  openAccount,
  readPublicUrl,
  requireAnswers,
  type ServiceAccount,
} from './account.ts'
import { listCases } from './cases.ts'
import { type Check, createExpect, type Failure, fill, Skipped, type World } from './check.ts'
import { createObserver } from './every-answer.ts'
import { longAddresses } from './long-addresses.ts'
import { listQueries } from './queries.ts'
import { readResources } from './resources.ts'
import { sequences } from './sequences.ts'
import { type Ask, createSender, type Send, type ServiceAnswer, withinHalfOfQuota } from './service.ts'

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
  credentials: Credentials
  /** `verifyFolder`: a folder of JSON files with cases, in addition to the kernel's cases. */
  features: readonly Readonly<{ verifyFolder?: URL }>[]
  pause: (ms: number) => Promise<void>
}>

/** With the demo, a minute of this is spent waiting for the quota. */
const longestMs = 120_000

const createDeadline = () => {
  const deadline = performance.now() + longestMs
  return (ms = 0): void => {
    if (performance.now() + ms <= deadline) return
    throw new CannotVerify(
      'The check takes longer than two minutes: other clients use the quota of this key, or the service is slow. Try again later',
    )
  }
}

/** `lists`: names of resources. */
type Service = Readonly<{ send: Send; base: string; account: ServiceAccount; lists: readonly string[] }>

const findMissingScope = (path: string, { lists, account: { scopes } }: Service): string | undefined =>
  [...path.matchAll(/(?:^\/v1\/|[?&]resources=)(\w+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => name === 'changes' || lists.includes(name))
    .map((name) => `${name}:read`)
    .find((scope) => !scopes.includes(scope))

const createWorld = (service: Service, failures: Failure[]): World => {
  const { send, base, account } = service
  const { token, isDemo, scopes } = account
  const values = { ...account.values }
  const ask = async (each: Ask): Promise<ServiceAnswer> => {
    const missing = each.token === undefined ? undefined : findMissingScope(each.path, service)
    if (missing) throw new Skipped(`the key has no scope ${missing}`)
    return send(each)
  }
  const get: World['get'] = async (path, headers = {}, method = 'GET') =>
    ask({ path: fill(path, values), headers, method, token })
  return { ask, get, expect: createExpect(failures), base, token, isDemo, scopes, values }
}

/** Hides credentials, also truncated ones and tokens requested during the check. */
const toOutcome = (
  { section, promise, failures }: Pick<PromiseOutcome, 'section' | 'promise' | 'failures'>,
  token: string,
): PromiseOutcome => {
  const hide = (text: string) => text.replaceAll(token, '…').replace(/eyJ[\w.-]+|cda_live_\w+/g, '…')
  return {
    section,
    promise,
    outcome: failures.length > 0 ? 'broken' : 'kept',
    failures: failures.map(({ request, expected, seen }) => ({
      request: hide(request),
      expected: hide(expected),
      seen: hide(seen),
    })),
  }
}

const runCheck = async ({ section, promise, run }: Check, service: Service): Promise<PromiseOutcome> => {
  const failures: Failure[] = []
  try {
    await run(createWorld(service, failures))
  } catch (error) {
    if (error instanceof CannotVerify) throw error
    if (!(error instanceof Skipped)) {
      failures.push({
        request: 'all requests',
        expected: 'answers as in the contract',
        seen: describeCause(error),
      })
    } else if (failures.length === 0) {
      return { section, promise, outcome: 'skipped', reason: error.message, failures }
    }
  }
  return toOutcome({ section, promise, failures }, service.account.token)
}

/**
 * Checks the promises of the contract against a running service and yields an outcome for each. Revokes one
 * token that it has requested, and changes nothing else. Throws CannotVerify, also after two minutes.
 */
export async function* verifyService({
  origin,
  credentials,
  features,
  pause,
}: VerifyOptions): AsyncGenerator<PromiseOutcome> {
  const { send: sendNow, close } = createSender(origin)
  try {
    const base = await readPublicUrl(sendNow, origin)
    const resources = await readResources(sendNow, origin)
    const lists = resources.map(({ name }) => name)
    const observer = createObserver(lists)
    const requireTime = createDeadline()
    const paced = withinHalfOfQuota(sendNow, (ms) => {
      requireTime(ms)
      return pause(ms)
    })
    const send: Send = async (each) => {
      requireTime()
      const answer = await paced(each)
      observer.see(answer, base)
      return answer
    }
    // At midnight, the ETags of the others change.
    const steady = resources.filter(({ dependsOnDay }) => !dependsOnDay).map(({ name }) => name)
    const opened = await requireAnswers(
      origin,
      openAccount(send, credentials, [...new Set([...steady, ...lists])]),
    )
    const account = { ...opened, values: { ...opened.values, base, origin, token: opened.token } }
    const folders = features.flatMap(({ verifyFolder = [] }) => verifyFolder)
    const checks = [
      ...listCases(folders),
      ...sequences,
      ...longAddresses,
      ...listQueries(resources, account.isDemo),
    ]
    for (const check of checks.sort((a, b) => a.section - b.section))
      yield await runCheck(check, { send, base, account, lists })
    for (const { failures, ...rule } of observer.observed)
      yield toOutcome({ ...rule, failures: failures.slice(0, 3) }, account.token)
  } finally {
    close()
  }
}
