import { type FileHandle, open } from 'node:fs/promises'
import { Refusal } from './refusal.ts'
import type { Shell } from './shell.ts'

const fileFaults: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'the user of this command has no right to it',
  EPERM: 'the user of this command has no right to it',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
}

/** Describes the fault of a file in words. Other errors keep their message. */
export const describeFileFault = (error: Error): string =>
  fileFaults[(error as NodeJS.ErrnoException).code ?? ''] ?? error.message

/** `sizeBytes`: unknown for a pipe. */
type OpenedSource = { stream: AsyncIterable<Uint8Array>; sizeBytes?: number }

/** Opens a file, or standard input for `-`. Throws a Refusal if the file cannot be read. */
export const openSource = async (shell: Shell, file: string): Promise<OpenedSource> => {
  if (file === '-') return { stream: shell.stdin }
  let handle: FileHandle
  try {
    handle = await open(file)
  } catch (cause) {
    throw new Refusal(`${file} cannot be read: ${describeFileFault(cause as Error)}`, { cause })
  }
  const stats = await handle.stat()
  if (stats.isDirectory()) {
    await handle.close()
    throw new Refusal(`${file} cannot be read: ${fileFaults.EISDIR}`)
  }
  return { stream: handle.createReadStream(), ...(stats.isFile() ? { sizeBytes: stats.size } : {}) }
}
