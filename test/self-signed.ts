import type { Test } from 'tap'
import { makeCertificate } from './api/sockets.ts'

/** Paths of a certificate for localhost and its key. The test deletes them at its end. */
export const selfSigned = (t: Pick<Test, 'teardown'>): { cert: string; key: string } => {
  const { cert, key, remove } = makeCertificate('rsa', ['localhost', 'hooks.example.com'])
  t.teardown(remove)
  return { cert, key }
}
