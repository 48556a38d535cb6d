import type { KeySummary } from './types.ts'

export type ExpiryOptions = {
  /**
   * Called once, at the first login within 14 days of the key's end. Defaults to a warning on the console. It may call
   * `rotateKey`. No request waits for its promise. Its errors and rejections are reported on the console and fail no
   * request.
   */
  onKeyExpiring?: (key: KeySummary) => unknown
}

const warnAheadMs = 14 * 86_400_000

const warnOnConsole = ({ id, name, expires_at }: KeySummary): void =>
  console.warn(
    `certdata-client: the API key ${id}${name === null ? '' : ` (${name})`} ends at ${expires_at}. Rotate it, or ask the certification house for a new one.`,
  )

export type ExpiryWarning = {
  /** Receives the key of a login. Warns once for each key that ends within 14 days. */
  check(key: KeySummary | undefined): void
  /**
   * Receives the key of the first login after a rotation. It warns only when half of its remaining life is over:
   * otherwise a short-lived key would be rotated as soon as it is used.
   */
  begin(key: KeySummary | undefined): void
}

export const createExpiryWarning = (
  { onKeyExpiring = warnOnConsole }: ExpiryOptions,
  now: () => number,
): ExpiryWarning => {
  let warnedOf: string | undefined
  let rotated: { id: string; aheadMs: number } | undefined
  return {
    check(key) {
      if (!key || key.expires_at === null || key.id === warnedOf) return
      const aheadMs = key.id === rotated?.id ? rotated.aheadMs : warnAheadMs
      if (Date.parse(key.expires_at) - now() > aheadMs) return
      warnedOf = key.id
      const call = async (): Promise<unknown> => onKeyExpiring(key)
      call().catch((error) => console.error('certdata-client: onKeyExpiring failed:', error))
    },
    begin(key) {
      if (!key || key.expires_at === null) return
      const halfLifeMs = (Date.parse(key.expires_at) - now()) / 2
      rotated = { id: key.id, aheadMs: Math.min(warnAheadMs, halfLifeMs) }
    },
  }
}
