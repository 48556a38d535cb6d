import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { tlsPolicy } from '../http/listener.ts'
import { type Figure, gaugeMin } from '../observe/figures.ts'
import { sessionIdContext } from './ticket-keys.ts'

type SecureContext = {
  cert: Buffer
  key: Buffer
  ticketKeys: Buffer
  sessionIdContext: string
} & typeof tlsPolicy

/** Node's servers over TLS. */
export type SecureServer = {
  setSecureContext(options: SecureContext): void
  setTicketKeys(keys: Buffer): void
}

type CertificateWatchOptions = {
  files: Readonly<{ certFile: string; keyFile: string }>
  server: SecureServer
  /** The key for session tickets now; see ticket-keys.ts. */
  ticketKey: () => Buffer
  /** Milliseconds from one look to the next. */
  everyMs?: number
  info: (message: string) => void
  warn: (message: string, error: Error) => void
}

const thirtySeconds = 30_000

/** When the certificate in use ends, because a renewal that did not come is no event. */
export const certificateFigure = ({ endsAt }: { endsAt: () => number }): Figure =>
  gaugeMin(
    'certdata_certificate_end_timestamp_seconds',
    'When the certificate in use ends',
    () => endsAt() / 1000,
  )

/**
 * Keeps what new connections get: the certificate that is in the files, and the ticket key of the time. It sets both at
 * once, and takes a renewed certificate or the next key without a restart; connections that are open keep theirs. It
 * reads the files' content, which also notices links that now point elsewhere. A pair that does not fit is left for
 * the next look, and reported once: often one of the two files is still to be written. `check` looks now; `endsAt` is
 * in milliseconds since 1970.
 */
export const watchCertificate = (options: CertificateWatchOptions) => {
  const { files, server, ticketKey, everyMs = thirtySeconds, info, warn } = options
  const read = () => ({ cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) })
  let current = read()
  let ticketKeys = ticketKey()
  let isFailing = false

  // A new context has Node's defaults for all else: its own ticket keys, which other instances do not accept, and more
  // ciphers.
  const use = (pair: typeof current) =>
    server.setSecureContext({ ...pair, ...tlsPolicy, ticketKeys, sessionIdContext })
  const renewTicketKey = () => {
    const key = ticketKey()
    if (key.equals(ticketKeys)) return
    ticketKeys = key
    server.setTicketKeys(key)
  }
  const renewCertificate = () => {
    try {
      const found = read()
      if (found.cert.equals(current.cert) && found.key.equals(current.key)) return
      // Throws where key and certificate are no pair.
      createSecureContext(found)
      use(found)
      current = found
      isFailing = false
      info('the renewed certificate is in use')
    } catch (error) {
      if (!isFailing)
        warn('TLS_CERT and TLS_KEY cannot be taken: the former certificate stays', error as Error)
      isFailing = true
    }
  }
  const check = () => {
    renewTicketKey()
    renewCertificate()
  }
  use(current)
  const timer = setInterval(check, everyMs).unref()
  return {
    check,
    endsAt: () => Date.parse(new X509Certificate(current.cert).validTo),
    stop: () => clearInterval(timer),
  }
}
