/** A process that logs 2,000 lines, says so and ends with 3; told `busy`, while no thread can write its file. */
import { openLogStream } from '../../app/running/log-stream.ts'
import { keepPoolBusy } from './busy-pool.ts'

const stream = openLogStream(process.stdout.fd, (message) => process.stderr.write(`${message}\n`))
if (process.argv[2] === 'busy') void keepPoolBusy()
for (let n = 0; n < 2_000; n += 1) stream.write(`${n} ${'x'.repeat(999)}\n`)
process.stderr.write('ending\n')
process.exit(3)
