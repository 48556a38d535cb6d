import { fstatSync, write } from 'node:fs'
import { format } from 'node:util'
import pino from 'pino'
import type { Config } from '../config/config.ts'
import { describeForLog } from '../http/log-error.ts'
import { formatForTerminal, logFormat } from '../observe/log-format.ts'
import { openLogStream } from '../observe/log-stream.ts'

export type Log = {
  info(message: string): void
  warn(details: object, message: string): void
}

/** Asynchronous for files: standard error may be the file that cannot be written. */
const report = (message: string): void => {
  const { fd } = process.stderr
  if (fstatSync(fd).isFile()) write(fd, `${message}\n`, () => {})
  else process.stderr.write(`${message}\n`)
}

/** Opens the log on standard output: JSON, or readable lines on a terminal outside of production. */
export const openLog = ({ logLevel, production }: Pick<Config, 'logLevel' | 'production'>) => {
  const json = openLogStream(process.stdout.fd, report)
  const hasColors = !process.env.NO_COLOR && process.env.TERM !== 'dumb'
  const readable = {
    write: (line: string) => json.write(formatForTerminal(line, hasColors)),
    get lost() {
      return json.lost
    },
    end: () => json.end(),
  }
  const stream = process.stdout.isTTY && !production ? readable : json
  const options = { level: logLevel, serializers: { err: describeForLog }, ...logFormat }
  return { stream, log: pino(options, stream) }
}

export type OpenLog = ReturnType<typeof openLog>

/** Sends the `console` output of libraries and the warnings of Node.js to the log. */
export const captureConsole = (log: Pick<pino.Logger, 'info' | 'warn'>): void => {
  for (const method of ['debug', 'info', 'log'] as const)
    console[method] = (...args) => log.info(format(...args))
  for (const method of ['warn', 'error', 'trace'] as const)
    console[method] = (...args) => log.warn(format(...args))
  process.removeAllListeners('warning').on('warning', ({ name, message }) => log.warn({ name }, message))
}

/** Ignores write errors of standard streams: their reader may exit, and their disk may be full. */
export const ignoreStreamErrors = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
