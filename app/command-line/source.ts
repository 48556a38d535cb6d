import { type FileHandle, open } from 'node:fs/promises'
import { Refusal } from './refusal.ts'
import type { Shell } from './shell.ts'

/** `sizeBytes`: unknown for a pipe. */
type OpenedSource = { stream: AsyncIterable<Uint8Array>; sizeBytes?: number }

/** Opens a file, or standard input for `-`. Throws a Refusal if the file cannot be read. */
export const openSource = async (shell: Shell, file: string): Promise<OpenedSource> => {
  if (file === '-') return { stream: shell.stdin }
  let handle: FileHandle
  try {
    handle = await open(file)
  } catch (cause) {
    throw new Refusal(`${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
  const stats = await handle.stat()
  return { stream: handle.createReadStream(), ...(stats.isFile() ? { sizeBytes: stats.size } : {}) }
}
