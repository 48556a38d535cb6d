import { type Retrying, withRetry } from './retry.ts'
import type { KeySummary, RotatedKey } from './types.ts'

export const loginPath = '/v1/auth/login'
export const rotationPath = '/v1/me/keys/rotate'

/** Stores a new key, where the program finds it at its next start. If it rejects, the previous key stays in use. */
export type StoreKey = (apiKey: string) => unknown

type RotationOptions = {
  /** Exchanges the current key for a new one, which is pending. */
  exchange: () => Promise<RotatedKey>
  /** Logs in with a new key, which begins its full life. From then on, the client uses it. */
  useKey: (apiKey: string) => Promise<KeySummary | undefined>
  retry: Retrying
}

/**
 * Returns a function that rotates the key. The key is stored before its first login, which completes the rotation. An
 * exchange may be repeated: it replaces the pending key. Rotations of one client run one after the other.
 */
export const createKeyRotation = ({ exchange, useKey, retry }: RotationOptions) => {
  let last: Promise<unknown> = Promise.resolve()
  const rotate = async (store: StoreKey): Promise<KeySummary> => {
    const { api_key: apiKey, key } = await withRetry(rotationPath, exchange, retry, undefined)
    await store(apiKey)
    return (await withRetry(loginPath, () => useKey(apiKey), retry, undefined)) ?? key
  }
  return (store: StoreKey): Promise<KeySummary> => {
    const rotation = last.then(() => rotate(store))
    last = rotation.catch(() => {})
    return rotation
  }
}
