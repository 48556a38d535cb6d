import { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Outbound } from '../app/http/outbound.ts'
import { runCommandLine } from '../app/operator/cli/command-line.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** `code`: the exit code; null if a signal ended the process. */
export type Result = { code: number | null; stdout: string; stderr: string }

export type RunOptions = {
  env?: Environment
  /** The standard input. */
  input?: string
  /** Standard input and standard error are a terminal. */
  isWatched?: true
  outbound?: Outbound
}

/** Creates a stream that is as slow as a pipe, so that a command with a long output has to wait. */
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
    // A signal ends the process of the test, which releases its own servers.
    onSignal: () => () => {},
    ...(outbound ? { outbound } : {}),
  })
  return { code, stdout: await stdout.end(), stderr: await stderr.end() }
}

/** Runs commands in one environment, in this process. `before`: the first words of each command. */
export const createCommandLine = (env: Environment, ...before: readonly string[]) => {
  const cli = (...words: string[]) => run([...before, ...words], { env })
  /** Returns the result of a command with `--json`. Throws its errors if it prints none. */
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await cli(...words, '--json')
    if (stdout === '') throw new Error(`${words.join(' ')}: exit code ${code}: ${stderr}`)
    return JSON.parse(stdout)
  }
  return { cli, json }
}
