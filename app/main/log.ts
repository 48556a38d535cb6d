import { fstatSync, write } from 'node:fs'
import { format } from 'node:util'
import pino from 'pino'
import type { Config } from '../config/config.ts'
import { describeForLog } from '../http/log-error.ts'
import { openLogStream } from '../observe/log-stream.ts'

/** To standard error, which may be the very file that cannot be written: then nobody waits for it either. */
const report = (message: string): void => {
  const { fd } = process.stderr
  if (fstatSync(fd).isFile()) write(fd, `${message}\n`, () => {})
  else process.stderr.write(`${message}\n`)
}

/** Opens the log of this process. `stream` is for callers that write lines of their own. */
export const openLog = ({ logLevel }: Pick<Config, 'logLevel'>) => {
  const stream = openLogStream(process.stdout.fd, report)
  return { stream, log: pino({ level: logLevel, serializers: { err: describeForLog } }, stream) }
}

export type OpenLog = ReturnType<typeof openLog>

/**
 * Sends lines of libraries, which write them with `console`, and warnings of Node.js to the log. Otherwise they would be
 * lines without JSON among its lines.
 */
export const captureConsole = (log: Pick<pino.Logger, 'info' | 'warn'>): void => {
  for (const method of ['debug', 'info', 'log'] as const)
    console[method] = (...args) => log.info(format(...args))
  for (const method of ['warn', 'error', 'trace'] as const)
    console[method] = (...args) => log.warn(format(...args))
  process.removeAllListeners('warning').on('warning', ({ name, message }) => log.warn({ name }, message))
}

/** Whoever reads them may go, or their disk be full: no reason to end. */
export const outliveReaders = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
