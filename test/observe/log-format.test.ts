import pino from 'pino'
import t from 'tap'
import { createAccessLog } from '../../app/observe/access-log.ts'
import { formatForTerminal, logFormat } from '../../app/observe/log-format.ts'

const write = (act: (log: pino.Logger, stream: { write(line: string): void; lost: number }) => void) => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line), lost: 0 }
  act(pino({ ...logFormat }, stream), stream)
  return lines
}

t.test('lines have names of levels and ISO times, also those of answers', async (t) => {
  const lines = write((log, stream) => {
    log.warn({ reason: 'full' }, 'no room')
    createAccessLog(
      log,
      stream,
    )?.({ requestId: 'r', method: 'GET', route: '/x', status: 200, ms: 1 } as never)
  })
  t.match(
    lines.map((line) => JSON.parse(line)),
    [
      { level: 'warn', time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, reason: 'full', msg: 'no room' },
      { level: 'info', time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, route: '/x', msg: 'answered' },
    ],
  )
})

t.test('on a terminal, a line is readable', async (t) => {
  const [line = ''] = write((log) => log.warn({ reason: 'disk is full', status: 503 }, 'no room'))
  t.match(
    formatForTerminal(line, false),
    /^\d\d:\d\d:\d\d WARN {2}no room reason="disk is full" status=503\n$/,
  )
  t.match(formatForTerminal(line, true), '\u001b[33mWARN \u001b[39m no room')
  const err = { type: 'Error', message: 'broken', stack: '    at a.ts:1' }
  const failed = JSON.stringify({ level: 'error', time: '2026-11-26T09:00:00.000Z', msg: 'failed', err })
  t.match(formatForTerminal(failed, false), /ERROR failed\nError: broken\n {4}at a\.ts:1\n$/)
})
