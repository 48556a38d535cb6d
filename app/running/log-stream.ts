import pino from 'pino'

export type LogStream = {
  write(line: string): void
  /** Lines that could not be written and are given up. */
  readonly lost: number
}

/** Kept while nothing can be written; lines beyond are given up. */
const keptBytes = 1_048_576
/** Lines go out together, so late or so many: a call of the system for each costs as much as half an answer. */
const batchMs = 50
const batchCharacters = 32_768
/** A disk that is full, or a reader that is gone, is tried again so often, also where nothing is logged. */
const retryMs = 1_000

/** At the end a reader that is slow is waited for so many times, a tenth of a second each. */
const lastTries = 10

/**
 * The log's way out, which outlives its reader and its disk: what cannot be written is kept for a while and tried
 * again. A reader that is slower than the log is not waited for: no answer stands still for a line.
 * `report` is told once that writing fails or that lines are given up, and again when nothing is kept any more.
 */
export const openLogStream = (fd: number, report: (message: string) => void): LogStream => {
  let triesLeft = 0
  const stream = pino.destination({
    dest: fd,
    sync: true,
    maxLength: keptBytes,
    retryEAGAIN: () => triesLeft-- > 0,
  })
  let isFailing = false
  let isLosing = false
  let lost = 0
  let batch = ''
  let timer: NodeJS.Timeout | undefined
  let isKept = false
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const lines = batch
    batch = ''
    if (isKept) {
      isKept = false
      // First, and by itself: with lines for which there is no room nothing would be tried, now and for ever.
      stream.write('')
    }
    if (lines !== '') stream.write(lines)
  }
  const schedule = (ms = batchMs) => {
    timer ??= setTimeout(flush, ms).unref()
  }
  stream.on('error', (error: NodeJS.ErrnoException) => {
    isKept = true
    if (error.code === 'EAGAIN') return schedule()
    schedule(retryMs)
    if (!isFailing)
      report(`the log cannot be written (${error.code ?? error.message}): the service goes on without`)
    isFailing = true
  })
  stream.on('drop', (lines: string) => {
    lost += lines.split('\n').length - 1
    if (!isFailing && !isLosing) report('the log is not read in time: lines are given up')
    isLosing = true
  })
  // Not with each piece that is taken: lines would be given up between them, and each time it was said.
  stream.on('drain', () => {
    if (isKept || !(isFailing || isLosing)) return
    report(`the log is ${isFailing ? 'written' : 'read'} again; lines lost: ${lost}`)
    isFailing = false
    isLosing = false
  })
  process.once('exit', () => {
    triesLeft = lastTries
    flush()
  })
  return {
    write: (line) => {
      batch += line
      if (batch.length >= batchCharacters) flush()
      else schedule()
    },
    get lost() {
      return lost
    },
  }
}
