import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** Paths of a self-signed certificate and its key. The test deletes them at its end. */
export const selfSigned = (t: Pick<Test, 'teardown'>): { cert: string; key: string } => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-tls-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,DNS:hooks.example.com']
  const days = ['-days', '2', '-nodes']
  const key2048 = ['-newkey', 'rsa:2048']
  execFileSync('openssl', ['req', '-x509', ...key2048, ...subject, ...days, '-out', cert, '-keyout', key], {
    stdio: 'ignore',
  })
  return { cert, key }
}
