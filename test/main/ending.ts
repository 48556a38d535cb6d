/**
 * A process that logs 2,000 lines, says so and exits with 3. With `busy`, no thread can write its file at first. With
 * `once`, it logs a line and exits without an end. With `brief`, it waits for what it logs as the service does, and
 * otherwise for as long as it takes.
 */
import { openLogStream } from '../../app/observe/log-stream.ts'
import { keepPoolBusy } from './busy-pool.ts'

const [, , how] = process.argv
const { fd } = process.stdout
const lastMs = how === 'brief' ? undefined : 60_000
const stream = openLogStream(fd, (message) => process.stderr.write(`${message}\n`), lastMs)
if (how === 'busy') void keepPoolBusy()
for (let n = 0; n < (how === 'once' ? 1 : 2_000); n += 1) stream.write(`${n} ${'x'.repeat(999)}\n`)
process.stderr.write('ending\n')
if (how !== 'once') await stream.end()
process.exit(3)
