import type { KeySummary } from './types.ts'

export type ExpiryOptions = {
  /**
   * Called once, at the first login within 14 days of the key's end. Defaults to a warning on the console. Its errors are
   * reported there and fail no request.
   */
  onKeyExpiring?: (key: KeySummary) => void
}

const warnAheadMs = 14 * 86_400_000

const warnOnConsole = ({ id, name, expires_at }: KeySummary): void =>
  console.warn(
    `certdata-client: the API key ${id}${name === null ? '' : ` (${name})`} ends at ${expires_at}. Rotate it, or ask the certification house for a new one.`,
  )

/** Returns a function for the key of each login. It warns once for each key that ends within 14 days. */
export const createExpiryWarning = (
  { onKeyExpiring = warnOnConsole }: ExpiryOptions,
  now: () => number,
): ((key: KeySummary | undefined) => void) => {
  let warnedOf: string | undefined
  return (key) => {
    if (!key || key.expires_at === null || key.id === warnedOf) return
    if (Date.parse(key.expires_at) - now() > warnAheadMs) return
    warnedOf = key.id
    try {
      onKeyExpiring(key)
    } catch (error) {
      console.error('certdata-client: onKeyExpiring failed:', error)
    }
  }
}
