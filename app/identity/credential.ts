import type { Turn } from '../overload/queue.ts'
import { matchesSecret, parseApiKey } from './api-keys.ts'
import type { KeyFacts } from './facts.ts'
import type { Principals } from './principals.ts'

/** What a client sends to prove which key it is. */
export type Credential = Readonly<{
  /** The key that it says it is; undefined: nothing that could be a key's id. */
  keyId: string | undefined
  /** Whether it may be right. Reads the database, in a turn, only if the facts are not in memory. */
  isKnown(turn: Turn): Promise<boolean>
  /** Returns a new object of facts. Rejects with 401 `invalid_api_key` if the key is not good or this does not prove it. */
  verify(turn: Turn): Promise<KeyFacts>
}>

/** An API key as a credential. */
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
    // Text without the form of a key needs no connection.
    verify: async (turn) => (parts ? turn(() => identifyApiKey(apiKey)) : identifyApiKey(apiKey)),
  }
}
