import { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Outbound } from '../app/http/outbound.ts'
import { runCommandLine } from '../app/operator/cli/command-line.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** `code`: the exit code; null where a signal ended a process. */
export type Result = { code: number | null; stdout: string; stderr: string }

export type RunOptions = {
  /** All there is, but what a process needs to start. */
  env?: Environment
  /** Standard input. */
  input?: string
  /** Whether standard input and standard error are a terminal. */
  isWatched?: true
  /** Answers requests to customers' addresses. */
  outbound?: Outbound
}

/** Makes a stream that is slow, as a pipe is. A command that writes much has to wait. */
const createSink = () => {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk)
      setImmediate(done)
    },
  })
  const end = async () => {
    await finished(stream.end())
    return Buffer.concat(chunks).toString()
  }
  return { stream, end }
}

/** Runs the command line in this process. */
export const run = async (words: readonly string[], options: RunOptions = {}): Promise<Result> => {
  const { env = {}, input = '', isWatched = false, outbound } = options
  const [stdout, stderr] = [createSink(), createSink()]
  const code = await runCommandLine(words, {
    env,
    stdin: Object.assign(Readable.from([Buffer.from(input)]), { isTTY: isWatched }),
    stdout: stdout.stream,
    stderr: Object.assign(stderr.stream, { isTTY: isWatched }),
    // Who ends these tests ends the test runner's process, which looks after its own servers.
    onSignal: () => () => {},
    ...(outbound ? { outbound } : {}),
  })
  return { code, stdout: await stdout.end(), stderr: await stderr.end() }
}

/** The command line in one environment, run in this process; `before` comes before the words of each command. */
export const createCommandLine = (env: Environment, ...before: readonly string[]) => {
  const cli = (...words: string[]) => run([...before, ...words], { env })
  /** What a command prints with `--json`; throws what is on standard error where it prints nothing. */
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await cli(...words, '--json')
    if (stdout === '') throw new Error(`${words.join(' ')}: exit code ${code}: ${stderr}`)
    return JSON.parse(stdout)
  }
  return { cli, json }
}
