import { fstatSync, write } from 'node:fs'
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

/** This process's log, and its way out for others who write lines of their own. */
export const openLog = ({ logLevel }: Pick<Config, 'logLevel'>) => {
  const stream = openLogStream(process.stdout.fd, report)
  return { stream, log: pino({ level: logLevel, serializers: { err: describeForLog } }, stream) }
}

/** Whoever reads them may go, or their disk be full: no reason to end. */
export const outliveReaders = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
