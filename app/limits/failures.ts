import type { LimitsConfig } from '../config/config.ts'
import { ApiError } from '../errors.ts'
import { createQueue } from '../overload/queue.ts'
import type { AccountDeps } from './account.ts'
import { toQueueOwner } from './address.ts'
import { createCount } from './limiter.ts'
import type { AccountName } from './store.ts'

/** Quotas of failures as multiples of LIMIT_FAILED_LOGINS: of a /48 network, and of tokens. */
const siteFactor = 2
const tokenFactor = 10

/** How long a refusal waits if its network has used up its failures. */
const slowMs = 500
/** At most 1,000 refusals a second are sent. On a busy event loop, timers are late and there are fewer. */
const paceMs = 10
const refusalsAtOnce = 10
/** Waiting refusals, 5 kB each. Above it, and after the longest wait, a refusal becomes a 503. */
const maxWaiting = 5_000
const longestWaitMs = 10_000

type FailuresOptions = AccountDeps & { limits: Pick<LimitsConfig, 'failedLogins'> }

/**
 * Counts refused credentials by network, and delays the refusals, so that many senders cannot use up the processor.
 * Accepted credentials are never delayed. See docs/decisions/0170-refused-logins-are-slow.md.
 */
export const createFailures = ({ limits: { failedLogins }, ...deps }: FailuresOptions) => {
  const networks = createCount(deps, 'failed_logins', failedLogins)
  const sites = createCount(deps, 'failed_logins', siteFactor * failedLogins)
  const tokens = createCount(deps, 'failed_logins', tokenFactor * failedLogins)
  const pace = createQueue({
    turns: refusalsAtOnce,
    longestWaitMs,
    mostWaiting: maxWaiting,
    after: deps.after,
  })
  let slow = 0

  const wait = (ms: number) => new Promise<void>((resolve) => deps.after(ms, resolve))
  const waitForPace = (ip: string): Promise<void> => pace.run(toQueueOwner(ip), () => wait(paceMs))

  const hold = async (ip: string): Promise<void> => {
    if (slow < maxWaiting) {
      slow += 1
      await wait(slowMs)
      slow -= 1
    }
    await waitForPace(ip)
  }

  /** Returns 429 if the account is used up. */
  const count = (counter: typeof networks, account: AccountName): Promise<ApiError | undefined> =>
    counter.take(account).then(
      () => undefined,
      (refusal: ApiError) => refusal,
    )

  const countNetwork = async (ip: string): Promise<ApiError | undefined> => {
    const { network, site } = toQueueOwner(ip)
    const ofNetwork = await count(networks, { tag: `login:${network}`, name: '' })
    const ofSite = site === network ? undefined : await count(sites, { tag: `login:${site}::/48`, name: '' })
    return ofNetwork ?? ofSite
  }

  return {
    /**
     * Counts a refused credential, waits, and returns `error`, or 429 after too many failures of the network. With
     * `keyId`, an id that exists, only failures of the network with this key lead to 429.
     */
    async countAndDelay(error: ApiError, ip: string, keyId: string | undefined): Promise<ApiError> {
      const ofNetwork = await countNetwork(ip)
      const { network } = toQueueOwner(ip)
      const refusal =
        keyId === undefined ? ofNetwork : await count(networks, { tag: `login:${network}`, name: keyId })
      await (ofNetwork ? hold(ip) : waitForPace(ip))
      return refusal ?? error
    },
    /** Counts a refused access token, and waits if there were many from its network. */
    async delayToken(ip: string): Promise<void> {
      if (await count(tokens, { tag: `token:${toQueueOwner(ip).network}`, name: '' })) await hold(ip)
    },
    /** Waits before a refusal of a network that has used up a quota. */
    hold,
    /** Rejects like `admission`, but waits before a 429. */
    async delayRefusal(ip: string, admission: Promise<void>): Promise<void> {
      try {
        await admission
      } catch (error) {
        if (error instanceof ApiError && error.status === 429) await hold(ip)
        throw error
      }
    },
  }
}

export type Failures = ReturnType<typeof createFailures>
