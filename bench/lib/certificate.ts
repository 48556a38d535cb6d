import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './processes.ts'

export type CertificateFiles = { certFile: string; keyFile: string }

/** Creates a self-signed certificate for 127.0.0.1. P-256 has the cheapest handshake for the server. */
export const makeCertificate = (): { files: CertificateFiles; remove(): Promise<void> } => {
  const folder = makeFolder()
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const output = ['-keyout', files.keyFile, '-out', files.certFile]
  execFileSync('openssl', ['req', '-x509', ...kind, ...names, ...output], { stdio: 'ignore' })
  return { files, remove: async () => rmSync(folder, { recursive: true, force: true }) }
}
