import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { openLogStream } from '../../app/observe/log-stream.ts'
import { until } from '../helper.ts'
import { keepPoolBusy } from './busy-pool.ts'

t.test('drops lines for a reader that is too slow, counts them and logs this twice', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-log-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
  t.teardown(async () => {
    await stream.end()
    closeSync(reader)
    rmSync(folder, { recursive: true })
  })
  const reports: string[] = []
  const stream = openLogStream(writer, (message) => reports.push(message), { maxBytes: 500_000 })
  const line = `${'x'.repeat(999)}\n`
  let written = 0
  const write = (lines: number) => {
    for (let n = 0; n < lines; n += 1) stream.write(line)
    written += lines
  }
  const bytes = Buffer.alloc(1_048_576)
  let read = 0
  const take = (most = bytes.length) => {
    try {
      read += readSync(reader, bytes, 0, most, null)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
  write(500)
  t.equal(stream.lost, 0, 'what is kept is not lost')
  write(100)
  t.equal(stream.lost, 100)
  t.same(reports, ['the log is not read fast enough: lines are dropped'])
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
    return read === (written - stream.lost) * line.length
  })
  t.equal(reports[1], `the log is written again; lines lost: ${stream.lost}`)
  const { lost } = stream
  write(10)
  await until('and goes on', () => {
    take()
    return read === (written - lost) * line.length
  })
  t.equal(reports.length, 2)
})

const openFile = (t: Test, report: (message: string) => void, options = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-log-'))
  const file = join(folder, 'log')
  const disk = openSync(file, 'a')
  const stream = openLogStream(disk, report, options)
  t.teardown(async () => {
    await stream.end()
    rmSync(folder, { recursive: true })
  })
  return { file, disk, stream }
}

/** Opens `file` under a descriptor that is in use. */
const swap = (descriptor: number, file: string) => {
  closeSync(descriptor)
  const others: number[] = []
  for (let opened = openSync(file, 'a'); opened !== descriptor; opened = openSync(file, 'a'))
    others.push(opened)
  for (const other of others) closeSync(other)
}

t.test('writes again after a disk was full for a long time', async (t) => {
  const reports: string[] = []
  const { file, disk, stream } = openFile(t, (message) => reports.push(message), { maxBytes: 500_000 })
  const line = `${'x'.repeat(999)}\n`
  swap(disk, '/dev/full')
  let written = 0
  const write = (lines: number) => {
    for (let n = 0; n < lines; n += 1) stream.write(line)
    written += lines
  }
  write(100)
  await until('said', () => reports.length === 1)
  // More than the stream keeps.
  write(600)
  const { lost } = stream
  t.equal(lost, 200)
  t.same(reports, ['the log cannot be written (ENOSPC): the service continues without it'])

  swap(disk, file)
  const lines = () => readFileSync(file, 'utf8').split('\n').length - 1
  await until('what was kept is there, though nothing more is logged', () => lines() === written - lost)
  await until('said', () => reports.length === 2)
  t.equal(reports[1], `the log is written again; lines lost: ${lost}`)
  write(1)
  await until('and goes on', () => lines() === written - lost)
  t.equal(stream.lost, lost)

  swap(disk, '/dev/full')
  write(100)
  await until('said anew', () => reports.length === 3)
  swap(disk, file)
  await until('none of a few is lost', () => lines() === written - lost)
  await until('all is said', () => reports.length === 4)
  t.equal(stream.lost, lost)
})

t.test(
  'a file is written outside the event loop, in order, and completely when `end` resolves',
  async (t) => {
    const { file, stream } = openFile(t, (message) => t.fail(message), { lastMs: 60_000 })
    const read = () => readFileSync(file, 'utf8').split('\n').slice(0, -1)
    let last = 0
    const write = (lines: number) => {
      for (const end = last + lines; last < end; last += 1) stream.write(`${last} ${'x'.repeat(99)}\n`)
    }
    const all = () => Array.from({ length: last }, (_, n) => `${n} ${'x'.repeat(99)}`)
    const begun = keepPoolBusy()
    write(1_000)
    t.same(read(), [], 'whoever logs does not write')
    await until('all is written', () => read().length === last)
    t.same(read(), all())
    await begun

    void keepPoolBusy()
    write(1_000)
    await stream.end()
    t.same(read(), all())
  },
)

/** Runs ending.ts, and reads its output only when it ends. */
const logAndEnd = async (how: string, stdout: 'pipe' | number) => {
  const child = spawn(process.execPath, [fileURLToPath(new URL('ending.ts', import.meta.url)), how], {
    stdio: ['ignore', stdout, 'pipe'],
  })
  const closed = once(child, 'close')
  const { stderr } = child as { stderr: Readable }
  await once(stderr, 'readable')
  const [output, said] = [child.stdout, stderr].map((stream) => stream && text(stream))
  const [code] = await closed
  return { output: (await output) ?? '', said: await said, code }
}
const numbers = (output: string) =>
  output
    .split('\n')
    .slice(0, -1)
    .map((line) => Number(line.split(' ', 1)[0]))
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

t.test('a process that ends writes each line once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-log-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const endWithFile = async (how: string) => {
    const file = join(folder, how)
    const disk = openSync(file, 'a')
    const { said, code } = await logAndEnd(how, disk)
    closeSync(disk)
    t.equal(code, 3)
    t.equal(said, 'ending\n')
    return numbers(readFileSync(file, 'utf8'))
  }
  t.same(await endWithFile('idle'), upTo(2_000), 'a file')
  t.same(await endWithFile('busy'), upTo(2_000), 'a file that could not be written at first')
  t.same(await endWithFile('stalled'), upTo(500), 'a file, while the whole process stood still')
  const { output, said, code } = await logAndEnd('idle', 'pipe')
  t.same(numbers(output), upTo(2_000), 'a pipe, which does not take all at once')
  t.equal(said, 'ending\n')
  t.equal(code, 3)
})

t.test('a process whose disk is full still ends', async (t) => {
  const full = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(full))
  const fault = 'the log cannot be written (ENOSPC): the service continues without it\n'
  const { said, code } = await logAndEnd('brief', full)
  t.equal(said, `ending\n${fault}`)
  t.equal(code, 3)
})

t.test('an event loop with long turns loses no line of a file', async (t) => {
  const { file, stream } = openFile(t, (message) => t.fail(message))
  const line = `${'x'.repeat(999)}\n`
  // Far more than the stream keeps, unless it writes once in each turn.
  const turns = 100
  const linesInTurn = 200
  const turnBytes = linesInTurn * line.length
  for (let turn = 0; turn < turns; turn += 1) {
    for (let n = 0; n < linesInTurn; n += 1) stream.write(line)
    // Lets the thread that writes run, on a busy machine, too.
    for (let part = 0; part === 0 || (part < 50 && statSync(file).size < (turn - 1) * turnBytes); part += 1)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    await nextTurn()
  }
  await until('all is written', () => statSync(file).size === turns * turnBytes)
  t.equal(stream.lost, 0)
})
