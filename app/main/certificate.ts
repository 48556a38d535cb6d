import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { tlsPolicy } from '../http/listener.ts'
import { type Figure, gaugeMin } from '../observe/figures.ts'

type SecureContext = { cert: Buffer; key: Buffer } & typeof tlsPolicy

/** Node's servers over TLS. */
export type SecureServer = { setSecureContext(options: SecureContext): void }

type CertificateWatchOptions = {
  files: Readonly<{ certFile: string; keyFile: string }>
  server: SecureServer
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
 * Reads the certificate's files again every half minute, and uses a renewed certificate for new connections without a
 * restart. It compares the files' content, so it also notices links that point elsewhere now. A certificate and a key
 * that do not match are reported once and tried again at the next look: often one of the two files is still to be
 * written. `check` looks now; `endsAt` is in milliseconds since 1970.
 */
export const watchCertificate = (options: CertificateWatchOptions) => {
  const { files, server, everyMs = thirtySeconds, info, warn } = options
  const read = () => ({ cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) })
  let current = read()
  let isFailing = false

  // Without the policy, a new context has Node's default ciphers.
  const use = (pair: typeof current) => server.setSecureContext({ ...pair, ...tlsPolicy })
  const check = () => {
    try {
      const found = read()
      if (found.cert.equals(current.cert) && found.key.equals(current.key)) return
      // Throws if the key does not belong to the certificate.
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
  // The files may have changed since the server read them.
  use(current)
  const timer = setInterval(check, everyMs).unref()
  return {
    check,
    endsAt: () => Date.parse(new X509Certificate(current.cert).validTo),
    stop: () => clearInterval(timer),
  }
}
