import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'

/** As many as Node has threads beside the loop, of which files are written by one. */
const threads = 4
const iterations = 300_000

/** Gives all of them something to do for a while; resolves when that is done. */
export const keepPoolBusy = async (): Promise<void> => {
  const derive = promisify(pbkdf2)
  await Promise.all(
    Array.from({ length: threads }, () => derive('password', 'salt', iterations, 64, 'sha512')),
  )
}
