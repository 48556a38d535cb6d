import type { Turn } from '../overload/queue.ts'
import { matchesSecret, parseApiKey } from './api-keys.ts'
import type { KeyFacts } from './facts.ts'
import type { Principals } from './principals.ts'

export type Credential = Readonly<{
  keyId: string | undefined
  /** Cheap check with cached facts: false for an unknown key, a wrong secret or a malformed assertion. */
  isKnown(turn: Turn): Promise<boolean>
  /** Rejects with 401 `invalid_api_key` if the key is unusable or the proof is wrong. `turn` runs queries. */
  verify(turn: Turn): Promise<KeyFacts>
}>

/** Text that is not an API key becomes a credential that `verify` rejects. */
export const presentApiKey = (
  { findKey, identifyApiKey }: Pick<Principals, 'findKey' | 'identifyApiKey'>,
  apiKey: string,
): Credential => {
  const parts = parseApiKey(apiKey)
  return {
    keyId: parts?.keyId,
    async isKnown(turn) {
      const known = parts && (await findKey(parts.keyId, turn))
      return known !== undefined && matchesSecret(parts?.secret ?? '', known.secretSha256)
    },
    verify: async (turn) => (parts ? turn(() => identifyApiKey(apiKey)) : identifyApiKey(apiKey)),
  }
}
