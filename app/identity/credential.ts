import type { Turn } from '../overload/queue.ts'
import { matchesSecret, parseApiKey } from './api-keys.ts'
import type { KeyFacts } from './facts.ts'
import type { Principals } from './principals.ts'

export type Credential = Readonly<{
  keyId: string | undefined
  /** False if the credential is certainly wrong. Queries the database, in a turn, on a cache miss. */
  isKnown(turn: Turn): Promise<boolean>
  /** Returns a new object. Rejects with 401 `invalid_api_key` for an unusable key or a wrong proof. */
  verify(turn: Turn): Promise<KeyFacts>
}>

/** Wraps an API key as a credential. */
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
