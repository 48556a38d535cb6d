import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openLogStream } from '../../app/running/log-stream.ts'
import { until } from '../helper.ts'

t.test('lines that a reader is too slow for are given up, counted, and spoken of twice', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-log-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
  t.teardown(() => {
    closeSync(reader)
    closeSync(writer)
    rmSync(folder, { recursive: true })
  })
  const reports: string[] = []
  const stream = openLogStream(writer, (message) => reports.push(message))
  const line = `${'x'.repeat(999)}\n`
  let written = 0
  const write = (lines: number) => {
    for (let n = 0; n < lines; n += 1) stream.write(line)
    written += lines
  }
  const bytes = Buffer.alloc(1_048_576)
  let read = 0
  /** What is in the pipe; a pipe that is empty has nothing now. */
  const take = (most = bytes.length) => {
    try {
      read += readSync(reader, bytes, 0, most, null) / line.length
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
  write(1_000)
  t.equal(stream.lost, 0, 'what is kept is not lost')
  write(2_000)
  t.ok(stream.lost > 1_000, `${stream.lost} lines`)
  t.same(reports, ['the log is not read in time: lines are given up'])
  for (let piece = 0; piece < 20; piece += 1) {
    take(10_000)
    write(100)
  }
  t.equal(reports.length, 1, 'not with each piece that is read')
  await until('all is read', () => {
    take()
    return reports.length === 2
  })
  await until('to the last line', () => {
    take()
    return read + stream.lost === written
  })
  t.equal(reports[1], `the log is read again; lines lost: ${stream.lost}`)
  const { lost } = stream
  write(10)
  await until('and goes on', () => {
    take()
    return read + lost === written
  })
  t.equal(reports.length, 2)
})

/** Makes a descriptor, which somebody goes on using, one of that file. */
const swap = (descriptor: number, file: string) => {
  closeSync(descriptor)
  const others: number[] = []
  for (let opened = openSync(file, 'a'); opened !== descriptor; opened = openSync(file, 'a'))
    others.push(opened)
  for (const other of others) closeSync(other)
}

t.test('a disk that was full for long is written to again once it is not', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-log-'))
  const file = join(folder, 'log')
  const disk = openSync('/dev/full', 'w')
  t.teardown(() => {
    closeSync(disk)
    rmSync(folder, { recursive: true })
  })
  const reports: string[] = []
  const stream = openLogStream(disk, (message) => reports.push(message))
  const line = `${'x'.repeat(999)}\n`
  // More than is kept.
  const written = 3_000
  for (let n = 0; n < written; n += 1) stream.write(line)
  const { lost } = stream
  t.ok(lost > 1_000, `${lost} lines`)
  t.same(reports, ['the log cannot be written (ENOSPC): the service goes on without'])

  swap(disk, file)
  const lines = () => readFileSync(file, 'utf8').split('\n').length - 1
  await until('what was kept is there, though nothing more is logged', () => lines() === written - lost)
  await until('said', () => reports.length === 2)
  t.equal(reports[1], `the log is written again; lines lost: ${lost}`)
  stream.write(line)
  await until('and goes on', () => lines() === written - lost + 1)
  t.equal(stream.lost, lost)

  swap(disk, '/dev/full')
  for (let n = 0; n < 100; n += 1) stream.write(line)
  await until('said anew', () => reports.length === 3)
  swap(disk, file)
  await until('none of a few is lost', () => lines() === written - lost + 101)
  await until('all is said', () => reports.length === 4)
  t.equal(stream.lost, lost)
})
