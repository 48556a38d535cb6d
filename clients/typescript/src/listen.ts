import { delay } from './abort.ts'
import { parseLocal } from './address.ts'
import type { Client } from './client-types.ts'
import type { ResourceName } from './follow.ts'
import {
  createKeyPem,
  deliverLocally,
  openTestKeys,
  shortRetries,
  type TestMessage,
} from './local-delivery.ts'

export type ListenOptions = {
  client: Client
  /** The receiver: an address of this machine. */
  forward: string
  /** Defaults to all resources that the key may read. */
  resources?: readonly ResourceName[] | undefined
  /** Signs the messages: a private key of Ed25519 as PEM (PKCS #8). Defaults to a new key. */
  keyPem?: string | undefined
  signal?: AbortSignal
  /** Called with each line for the developer. */
  log: (line: string) => void
  retries?: typeof shortRetries
}

/** The service's pause after a message. Changes during the pause become one message. */
const spacingMs = 500

const listReadable = async (client: Client, signal: AbortSignal): Promise<ResourceName[]> => {
  const { scopes } = await client.me({ signal })
  const names = scopes
    .filter((scope) => scope.endsWith(':read'))
    .map((scope) => scope.slice(0, -':read'.length))
  return names.filter((name) => name !== 'changes' && name !== 'audit') as ResourceName[]
}

/**
 * Sends webhook messages about the customer's changes to an address of this machine, signed with `keyPem`. Sends a test message first. Rejects with the signal's reason, if the receiver answers 410 or
 * fails for too long, and with refusals of the service that waiting cannot cure. Throws a TypeError if
 * `forward` is another machine.
 */
export const listen = async ({ client, forward, log, ...options }: ListenOptions): Promise<never> => {
  const { signal = new AbortController().signal } = options
  const address = parseLocal(forward)
  const keys = await openTestKeys(options.keyPem ?? (await createKeyPem()))
  const resources = options.resources ?? (await listReadable(client, signal))
  const { value: now } = await client.changes({ resources }, { signal }).next()
  let token = now?.page.next_token
  log(`Public key: ${keys.whpk}`)
  log(`Public key as JSON Web Key: ${JSON.stringify(keys.jwk)}`)
  log(`Changes of ${resources.join(', ')} are sent to ${address}`)
  const { retries = shortRetries } = options
  const deliver = (type: string, data: TestMessage['data']) =>
    deliverLocally({ forward: address, keys, signal, log, retries }, { type, data })
  await deliver('webhook.test', { resources })
  return client.follow(
    {
      loadToken: async () => token,
      async apply(changes, next) {
        const changed = new Set(changes.map(({ resource }) => resource))
        if (changed.size > 0) {
          const named = resources.filter((name) => changed.has(name))
          await deliver('changes.available', { resources: named, after: token })
          await delay(spacingMs, signal)
        }
        token = next
      },
      /** The service refused the token: the receiver has to read everything again. */
      async replaceAll(state, next) {
        for await (const _ of state);
        await deliver('changes.available', { resources, after: 'snapshot' })
        token = next
      },
    },
    { resources, signal },
  )
}
