/**
 * A process that logs 2,000 lines, says so and exits with 3. With `busy`, no thread can write its file at first. With
 * `once`, it logs a line and exits without an end.
 */
import { openLogStream } from '../../app/observe/log-stream.ts'
import { keepPoolBusy } from './busy-pool.ts'

const [, , how] = process.argv
const { fd } = process.stdout
const stream = openLogStream(fd, (message) => process.stderr.write(`${message}\n`))
if (how === 'busy') void keepPoolBusy()
for (let n = 0; n < (how === 'once' ? 1 : 2_000); n += 1) stream.write(`${n} ${'x'.repeat(999)}\n`)
process.stderr.write('ending\n')
if (how !== 'once') await stream.end()
process.exit(3)
