/**
 * Logs 2,000 lines and exits with 3. `busy`: at first no thread can write the file. `brief` and `stalled`: waits for its
 * log only as long as the service does. `stalled`: logs 500 lines and then blocks the process for longer than that.
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
