import type { Turn } from '../overload/queue.ts'
import { parseApiKey } from './api-keys.ts'
import type { KeyFacts } from './facts.ts'
import type { Principals } from './principals.ts'

export type Credential = Readonly<{
  /** As claimed. `undefined` if the credential is malformed. */
  keyId: string | undefined
  /** Whether the claimed id exists, as far as this process knows without a query. */
  isKnown(): boolean
  /** Rejects with 401 `invalid_api_key` if the key is unusable or the proof is wrong. `turn` runs queries. */
  verify(turn: Turn): Promise<KeyFacts>
}>

/** Text that is not an API key becomes a credential that `verify` rejects. */
export const presentApiKey = (
  { hasKey, identifyApiKey }: Pick<Principals, 'hasKey' | 'identifyApiKey'>,
  apiKey: string,
): Credential => {
  const keyId = parseApiKey(apiKey)?.keyId
  return {
    keyId,
    isKnown: () => keyId !== undefined && hasKey(keyId),
    verify: (turn) => identifyApiKey(apiKey, turn),
  }
}
