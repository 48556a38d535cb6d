import type { Turn } from '../overload/queue.ts'
import { parseAnyKey, parseApiKey } from './api-keys.ts'
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

const present = (
  keyId: string | undefined,
  hasKey: Principals['hasKey'],
  verify: Credential['verify'],
): Credential => ({ keyId, isKnown: () => keyId !== undefined && hasKey(keyId), verify })

/** Text that is not an API key becomes a credential that `verify` rejects. */
export const presentApiKey = (
  { hasKey, identifyApiKey }: Pick<Principals, 'hasKey' | 'identifyApiKey'>,
  apiKey: string,
): Credential => present(parseApiKey(apiKey)?.keyId, hasKey, (turn) => identifyApiKey(apiKey, turn))

/** Like `presentApiKey`, but a key of an address is accepted, too. Only for what this key may do to itself. */
export const presentAnyKey = (
  { hasKey, identifyAnyKey }: Pick<Principals, 'hasKey' | 'identifyAnyKey'>,
  text: string,
): Credential => present(parseAnyKey(text)?.keyId, hasKey, (turn) => identifyAnyKey(text, turn))
