import { matchesSecret, parseApiKey } from './api-keys.ts'
import type { KeyFacts } from './facts.ts'
import type { Principals } from './principals.ts'

/** Runs work that uses a connection when it is the client's turn. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>

/** What a client sends to prove which key it is. */
export type Credential = Readonly<{
  /** The key that it says it is; undefined: nothing that could be a key's id. */
  keyId: string | undefined
  /** Whether it may be right by the facts in memory. Its check costs the database something only then. */
  isKnown(): Promise<boolean>
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
    async isKnown() {
      const known = parts && (await findKey(parts.keyId))
      return known !== undefined && matchesSecret(parts?.secret ?? '', known.secretSha256)
    },
    // What is no key at all needs no connection.
    verify: async (turn) => (parts ? turn(() => identifyApiKey(apiKey)) : identifyApiKey(apiKey)),
  }
}
