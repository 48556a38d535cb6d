import { setTimeout as delay } from 'node:timers/promises'
import sonic from 'sonic-boom'

export type LogStream = {
  write(line: string): void
  /** Number of lines that were dropped. */
  readonly lost: number
}

type LogStreamOptions = {
  /** Longest wait of `end`, in milliseconds. Optional, a second by default. */
  lastMs?: number
  /** Bytes that wait while nothing can be written. Optional. By default half a second of the busiest log. */
  maxBytes?: number
}

/** Lines are written together, after this time or this many bytes: a system call costs as much as half an answer. */
const batchMs = 50
const batchBytes = 32_768
/** Largest piece of one write, of which there is one in each turn of the event loop. */
const pieceBytes = 262_144
/** `end` waits in this many parts. A moment in which the whole process stood still counts as one of them. */
const lastParts = 10

/**
 * Writes the log to `fd` in the background, so that no answer waits for a line. If nothing can be written, because the
 * disk is full or nothing reads, lines wait up to a limit, and are dropped above it.
 * `report` is called when writing fails or a line is dropped, and again with the number of dropped lines when the log
 * is written again.
 * `end` takes no more lines, and resolves when all are written or the time is over. A process that ends without it
 * loses the lines of its last 50 ms: `flushSync` of the library retries a full disk forever.
 * See docs/decisions/0069-the-log-never-blocks.md.
 */
export const openLogStream = (
  fd: number,
  report: (message: string) => void,
  { lastMs = 1_000, maxBytes = 8_388_608 }: LogStreamOptions = {},
): LogStream & { end(): Promise<void> } => {
  const limits = { minLength: batchBytes, maxLength: maxBytes, maxWrite: pieceBytes }
  // With texts, the library measures all that waits again for each line. The periodic flush also retries a full disk.
  const destination = new sonic.SonicBoom({
    ...{ fd, sync: false, contentMode: 'buffer', periodicFlush: batchMs },
    ...limits,
  })
  let lost = 0
  let isFailing = false
  let ended: Promise<void> | undefined

  const fail = (message: string) => {
    if (!isFailing) report(message)
    isFailing = true
  }
  destination.on('drop', () => {
    lost += 1
    fail('the log is not taken in time: lines are given up')
  })
  destination.on('error', ({ code, message }: NodeJS.ErrnoException) =>
    fail(`the log cannot be written (${code ?? message}): the service goes on without`),
  )
  destination.on('drain', () => {
    if (isFailing) report(`the log is written again; lines lost: ${lost}`)
    isFailing = false
  })
  const end = async () => {
    let isWritten = false
    const written = new Promise<void>((resolve) => {
      destination.once('finish', () => {
        isWritten = true
        resolve()
      })
    })
    destination.end()
    for (let part = 0; part < lastParts && !isWritten; part += 1)
      await Promise.race([written, delay(lastMs / lastParts)])
  }
  return {
    write(line) {
      // The library's types lack the buffers of `contentMode`.
      if (!ended) destination.write(Buffer.from(line) as unknown as string)
    },
    get lost() {
      return lost
    },
    end: () => {
      ended ??= end()
      return ended
    },
  }
}
