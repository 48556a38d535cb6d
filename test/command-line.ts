import { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { runCommandLine } from '../app/command-line/command-line.ts'
import { features } from '../app/features.ts'
import type { Outbound } from '../app/http/outbound.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** `code` is null if a signal ended the process. */
export type Result = { code: number | null; stdout: string; stderr: string }

export type RunOptions = {
  /** The whole environment. */
  env?: Environment
  input?: string
  /** Standard input and standard error are a terminal. */
  isWatched?: true
  /** Replaces the Internet. */
  outbound?: Outbound
}

/** A slow stream, like a pipe: a command with much output has to wait. */
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

export const run = async (words: readonly string[], options: RunOptions = {}): Promise<Result> => {
  const { env = {}, input = '', isWatched = false, outbound } = options
  const [stdout, stderr] = [createSink(), createSink()]
  const shell = {
    env,
    stdin: Object.assign(Readable.from([Buffer.from(input)]), { isTTY: isWatched }),
    stdout: stdout.stream,
    stderr: Object.assign(stderr.stream, { isTTY: isWatched }),
    // Signals belong to the test runner.
    onSignal: () => () => {},
    ...(outbound ? { outbound } : {}),
  }
  const code = await runCommandLine(words, shell, features)
  return { code, stdout: await stdout.end(), stderr: await stderr.end() }
}

/** `before`: the first words of each command. */
export const createCommandLine = (env: Environment, ...before: readonly string[]) => {
  const cli = (...words: string[]) => run([...before, ...words], { env })
  /** Throws the text of standard error if the command prints nothing. */
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await cli(...words, '--json')
    if (stdout === '') throw new Error(`${words.join(' ')}: exit code ${code}: ${stderr}`)
    return JSON.parse(stdout)
  }
  return { cli, json }
}
