import type { Turn } from '../overload/queue.ts'
import { matchesSecret, parseApiKey } from './api-keys.ts'
import type { KeyFacts } from './facts.ts'
import type { Principals } from './principals.ts'

export type Credential = Readonly<{
  keyId: string | undefined
  /** Cheap check with cached facts. False if `verify` would certainly reject. `turn` runs a query on a cache miss. */
  isKnown(turn: Turn): Promise<boolean>
  /** Reads current facts. Rejects with 401 `invalid_api_key` if the key is unusable or the proof is wrong. */
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
