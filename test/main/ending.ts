/**
 * A process that logs 2,000 lines, says so and exits with 3. With `busy`, no thread can write its file meanwhile.
 * With `full`, its disk is full.
 */
import { closeSync, openSync } from 'node:fs'
import { openLogStream } from '../../app/observe/log-stream.ts'
import { keepPoolBusy } from './busy-pool.ts'

const [, , how] = process.argv
const { fd } = process.stdout
const stream = openLogStream(fd, (message) => process.stderr.write(`${message}\n`))
if (how === 'busy') void keepPoolBusy()
if (how === 'full') {
  closeSync(fd)
  // The lowest that is free.
  openSync('/dev/full', 'w')
}
for (let n = 0; n < 2_000; n += 1) stream.write(`${n} ${'x'.repeat(999)}\n`)
process.stderr.write('ending\n')
process.exit(3)
