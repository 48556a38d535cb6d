import type { Secrets } from '../config/secrets.ts'

/**
 * How long one key is in use. A ticket lives for two hours (OpenSSL's default), so one ticket in six outlives its key.
 * See docs/decisions/0086-ticket-keys-come-from-the-secret.md.
 */
export const ticketPeriodMs = 12 * 3_600_000

/** Names the sessions of all instances. Node's own name comes from the command line, which may differ. */
export const sessionIdContext = 'certdata'

const purpose = 'tls tickets'
const nameBytes = 16

/**
 * Returns the key for TLS session tickets at a time, in milliseconds since 1970: 48 bytes, as
 * `tls.Server.setTicketKeys` takes them (16 name the key, 16 sign, 16 encrypt). All instances with the same first
 * SECRET_KEY get the same key in the same period, without a word to each other.
 */
export const ticketKeyAt = (secrets: Pick<Secrets, 'mac'>, nowMs: number): Buffer => {
  const period = Math.floor(nowMs / ticketPeriodMs)
  const name = secrets.mac(purpose, `name ${period}`).subarray(0, nameBytes)
  return Buffer.concat([name, secrets.mac(purpose, `keys ${period}`)])
}
