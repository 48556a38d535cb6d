/**
 * A process that logs 2,000 lines, reports that it ends, and exits with 3. With `busy`, no thread can write its file at
 * first. With `brief` and `stalled`, it waits for its log as long as the service does, otherwise for as long as it
 * takes. With `stalled`, the whole process stands still for longer than that, and it logs 500 lines.
 */
import { openLogStream } from '../../app/observe/log-stream.ts'
import { keepPoolBusy } from './busy-pool.ts'

const [, , how = ''] = process.argv
const { fd } = process.stdout
const options = ['brief', 'stalled'].includes(how) ? {} : { lastMs: 60_000 }
const stream = openLogStream(fd, (message) => process.stderr.write(`${message}\n`), options)
if (how === 'busy') void keepPoolBusy()
for (let n = 0; n < (how === 'stalled' ? 500 : 2_000); n += 1) stream.write(`${n} ${'x'.repeat(999)}\n`)
process.stderr.write('ending\n')
const ended = stream.end()
if (how === 'stalled') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200)
await ended
process.exit(3)
