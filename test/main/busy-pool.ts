import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'

/** The size of Node's thread pool, which writes files. */
const threads = 4
const iterations = 300_000

/** Keeps all threads busy until it resolves. */
export const keepPoolBusy = async (): Promise<void> => {
  const derive = promisify(pbkdf2)
  await Promise.all(
    Array.from({ length: threads }, () => derive('password', 'salt', iterations, 64, 'sha512')),
  )
}
