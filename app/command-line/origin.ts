import { parseConfig } from '../config/config.ts'
import { localOrigin } from '../config/local-origin.ts'
import type { Db } from '../db/schema.ts'
import { listServiceOrigins } from '../db/service-origins.ts'
import { createAddressRanges, loopback } from '../http/client-address.ts'
import { Refusal } from './refusal.ts'
import type { Shell } from './shell.ts'

const isLoopbackAddress = createAddressRanges(loopback)

const isLoopback = (origin: string): boolean => {
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host)
}

/** Returns the origin of a service that has never started with this database. */
const guessOrigin = (shell: Shell): string => {
  const config = parseConfig(shell.env)
  if (config.publicUrl === undefined && config.port === 0) {
    throw new Refusal('The address of the service is not known: start it once, or set PUBLIC_URL')
  }
  return config.publicUrl ?? localOrigin(config, config.port)
}

/**
 * Returns the origin for a link or an address of a key: the one of the newest start. Warns on standard error about a loopback origin, and lists
 * the origins of other starts. Throws a Refusal if no origin is known.
 */
export const readLinkOrigin = async (shell: Shell, db: Db): Promise<string> => {
  const [newest, ...others] = await listServiceOrigins(db)
  const origin = newest?.origin ?? guessOrigin(shell)
  const notes = others.map(
    (other) => `The service has also started as ${other.origin}, last at ${other.startedAt.slice(0, 16)}Z.\n`,
  )
  if (isLoopback(origin)) {
    notes.unshift(
      `Warning: this address begins with ${origin}, which works only on the machine of the service. For other machines, set PUBLIC_URL of the service, start it again, and make another one.\n`,
    )
  }
  shell.stderr.write(notes.join(''))
  return origin
}
