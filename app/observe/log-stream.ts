import { setTimeout as delay } from 'node:timers/promises'
import sonic from 'sonic-boom'

export type LogStream = {
  write(line: string): void
  readonly lost: number
}

type LogStreamOptions = {
  lastMs?: number
  /** Maximum size of the buffer. Defaults to 8 MiB, half a second of the busiest log. */
  maxBytes?: number
}

/** A batch of lines is written after this time or at this size. A write costs half as much as an answer. */
const batchMs = 50
const batchBytes = 32_768
/** Maximum size of one write. The event loop does other work between two writes. */
const pieceBytes = 262_144
/** `end` waits in this many parts. If the process is suspended during one, only this part is cut short. */
const lastParts = 10

/**
 * Writes the log to `fd` in the background. If writing stalls, lines are buffered up to `maxBytes`, then
 * dropped. Calls `report` when writing fails and when it works again. `end` resolves when all lines are
 * written, or after `lastMs`; later lines are ignored. An exit without `end` loses the last 50 ms: it
 * skips `flushSync`, which would retry a full disk forever. See docs/decisions/0069-the-log-never-blocks.md.
 */
export const openLogStream = (
  fd: number,
  report: (message: string) => void,
  { lastMs = 1_000, maxBytes = 8_388_608 }: LogStreamOptions = {},
): LogStream & { end(): Promise<void> } => {
  const limits = { minLength: batchBytes, maxLength: maxBytes, maxWrite: pieceBytes }
  // With strings, the library measures its whole buffer at each line. The periodic flush retries a full disk.
  const destination = new sonic.SonicBoom({
    fd,
    sync: false,
    contentMode: 'buffer',
    periodicFlush: batchMs,
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
    fail('the log is not read fast enough: lines are dropped')
  })
  destination.on('error', ({ code, message }: NodeJS.ErrnoException) =>
    fail(`the log cannot be written (${code ?? message}): the service continues without it`),
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
      // The library's types omit the buffers of `contentMode`.
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
