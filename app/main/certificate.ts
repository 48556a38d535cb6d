import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { type Figure, gaugeMin } from '../observe/figures.ts'

/** Node's servers over TLS. */
export type SecureServer = { setSecureContext(options: { cert: Buffer; key: Buffer }): void }

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
 * Takes a renewed certificate without a restart: new connections get it, those that are there keep theirs. Looks
 * at what the files say, which also sees links that were turned. A pair that does not fit, as when only one of
 * the two has been written yet, is left for the next look, and reported once. `check` looks now; `endsAt` is in
 * milliseconds since 1970.
 */
export const watchCertificate = (options: CertificateWatchOptions) => {
  const { files, server, everyMs = thirtySeconds, info, warn } = options
  const read = () => ({ cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) })
  let current = read()
  let isFailing = false

  const check = () => {
    try {
      const found = read()
      if (found.cert.equals(current.cert) && found.key.equals(current.key)) return
      // Throws where key and certificate are no pair.
      createSecureContext(found)
      server.setSecureContext(found)
      current = found
      isFailing = false
      info('the renewed certificate is in use')
    } catch (error) {
      if (!isFailing)
        warn('TLS_CERT and TLS_KEY cannot be taken: the former certificate stays', error as Error)
      isFailing = true
    }
  }
  const timer = setInterval(check, everyMs).unref()
  return {
    check,
    endsAt: () => Date.parse(new X509Certificate(current.cert).validTo),
    stop: () => clearInterval(timer),
  }
}
