import { styleText } from 'node:util'

/** Options of pino: names of levels and ISO 8601 times in UTC. `createAccessLog` writes the same format. */
export const logFormat = {
  formatters: { level: (level: string) => ({ level }) },
  timestamp: () => `,"time":"${new Date().toISOString()}"`,
}

const styles: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
}

const formatField = ([name, value]: [string, unknown]): string =>
  `${name}=${typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value)}`

/** Converts a line of the log for a terminal: local time, level, message and fields, then the stack of an error. */
export const formatForTerminal = (line: string, hasColors: boolean): string => {
  const { level, time, pid: _pid, hostname: _host, msg = '', err, ...fields } = JSON.parse(line)
  const style = styles[level]
  const name = String(level).toUpperCase().padEnd(5)
  const painted = style && hasColors ? styleText(style, name, { validateStream: false }) : name
  const start = `${new Date(time).toLocaleTimeString('en-GB')} ${painted} ${msg}`
  const rest = Object.entries(fields).map(formatField)
  const cause = err === undefined ? '' : `\n${err.type}: ${err.message}\n${err.stack}`.trimEnd()
  return `${[start, ...rest].join(' ')}${cause}\n`
}
