import { writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import sonic from 'sonic-boom'

export type LogStream = {
  write(line: string): void
  /** Lines that could not be written and are given up. */
  readonly lost: number
}

/** Kept while nothing can be written, half a second of the busiest log; lines beyond are given up. */
const mostBytes = 8_388_608
/** Lines go out together, so late or so many: a call of the system for each costs as much as half an answer. */
const batchMs = 50
const batchCharacters = 32_768
/** Largest piece that is written at once, in a turn of the event loop: what waits is written together. */
const pieceBytes = 262_144
/** A pipe that is full is tried again so often. The library's own 100 ms would be too slow for a busy log. */
const fullMs = 5
/** A disk that is full, or a reader that is gone, so often, also where nothing is logged. */
const retryMs = 1_000
/** Longest wait for the disk or the reader at the end. */
const defaultLastMs = 1_000
/** In so many parts: a moment in which the whole process stood still is one of them. */
const lastParts = 10

const countLines = (lines: string) => lines.split('\n').length - 1

/**
 * Writes the log to `fd` beside the event loop, so that no answer waits for a line. It survives a
 * reader that is gone or a full disk, keeps lines for a while and retries.
 * `report` is called when writing fails or lines are dropped, and again with the number of lost lines when the
 * backlog is empty.
 * Not `pino.destination`: it tries a full disk for ever when the process ends.
 * `end` resolves when all is written, or after `lastMs`, a second if absent. A process that ends without it writes its
 * last lines at once; what is kept then is lost.
 * See docs/decisions/0069-the-log-never-blocks.md.
 */
export const openLogStream = (
  fd: number,
  report: (message: string) => void,
  lastMs = defaultLastMs,
): LogStream & { end(): Promise<void> } => {
  // Only with a least length does it flush when asked.
  const destination = new sonic.SonicBoom({
    ...{ fd, sync: false, minLength: 1, maxLength: mostBytes, maxWrite: pieceBytes },
    retryEAGAIN: () => false,
  })
  let batch = ''
  let timer: NodeJS.Timeout | undefined
  let retry: NodeJS.Timeout | undefined
  let lost = 0
  let isFailing = false

  const fail = (message: string) => {
    if (!isFailing) report(message)
    isFailing = true
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const lines = batch
    batch = ''
    if (lines !== '') destination.write(lines)
  }
  destination.on('drop', (lines) => {
    lost += countLines(lines)
    fail('the log is not taken in time: lines are given up')
  })
  destination.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    const isFull = code === 'EAGAIN'
    clearTimeout(retry)
    retry = setTimeout(() => destination.flush(), isFull ? fullMs : retryMs).unref()
    if (!isFull) fail(`the log cannot be written (${code ?? message}): the service goes on without`)
  })
  destination.on('drain', () => {
    if (isFailing) report(`the log is written again; lines lost: ${lost}`)
    isFailing = false
  })
  process.once('exit', () => {
    try {
      writeSync(fd, batch)
    } catch {
      // Nobody is left to retry, and standard error has said why.
    }
  })
  return {
    write(line) {
      batch += line
      if (batch.length >= batchCharacters) flush()
      else timer ??= setTimeout(flush, batchMs).unref()
    },
    get lost() {
      return lost
    },
    async end() {
      flush()
      let isWritten = false
      const written = new Promise<void>((resolve) => {
        destination.once('drain', () => {
          isWritten = true
          resolve()
        })
      })
      destination.flush()
      for (let part = 0; part < lastParts && !isWritten; part += 1)
        await Promise.race([written, delay(lastMs / lastParts)])
    },
  }
}
