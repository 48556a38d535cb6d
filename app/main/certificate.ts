import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { tlsPolicy } from '../http/listener.ts'
import { type Figure, gaugeMin } from '../observe/figures.ts'

type SecureContext = { cert: Buffer; key: Buffer } & typeof tlsPolicy

export type SecureServer = { setSecureContext(options: SecureContext): void }

type CertificateWatchOptions = {
  files: Readonly<{ certFile: string; keyFile: string }>
  server: SecureServer
  everyMs?: number
  info: (message: string) => void
  warn: (message: string, error: Error) => void
}

const thirtySeconds = 30_000

/** Reports the end of the certificate in use, because a missing renewal causes no event. */
export const certificateFigure = ({ endsAt }: { endsAt: () => number }): Figure =>
  gaugeMin(
    'certdata_certificate_end_timestamp_seconds',
    'When the certificate in use ends',
    () => endsAt() / 1000,
  )

/**
 * Reads the files every 30 s and uses a renewed certificate for new connections. Throws if the first pair is
 * unusable. Warns of a later unusable pair once, until a check succeeds. `endsAt`: milliseconds since 1970.
 */
export const watchCertificate = (options: CertificateWatchOptions) => {
  const { files, server, everyMs = thirtySeconds, info, warn } = options
  const read = () => ({ cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) })
  let current = read()
  let isFailing = false

  // Without the policy, a new context would have Node's default ciphers.
  const use = (pair: typeof current) => server.setSecureContext({ ...pair, ...tlsPolicy })
  const check = () => {
    try {
      const found = read()
      const isSame = found.cert.equals(current.cert) && found.key.equals(current.key)
      if (!isSame) {
        createSecureContext(found)
        use(found)
        current = found
        info('the renewed certificate is in use')
      }
      isFailing = false
    } catch (error) {
      if (!isFailing)
        warn('TLS_CERT and TLS_KEY cannot be used: the previous certificate stays in use', error as Error)
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
