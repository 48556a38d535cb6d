import type { Command } from 'commander'
import { Refusal } from './refusal.ts'
import type { Output, Shell } from './shell.ts'

export type Confirmable = Output & { yes?: true }

/** Adds the option `--yes`, for a command that calls `confirm`. */
export const withYes = (command: Command): Command => command.option('--yes', 'do not ask for confirmation')

const readLine = async (stdin: Shell['stdin']): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stdin) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('\n')) break
  }
  return text.split('\n', 1)[0] as string
}

/** Unless `yes`, asks for consent to `consequence` (a sentence without full stop), or throws a Refusal. */
export const confirm = async (
  { stdin, stderr }: Shell,
  { yes }: Confirmable,
  consequence: string,
): Promise<void> => {
  if (yes) return
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new Refusal(`${consequence}. Nothing was done: without a terminal, add --yes`)
  }
  stderr.write(`${consequence}.\nContinue? [y/N] `)
  if (/^\s*y(es)?\s*$/i.test(await readLine(stdin))) return
  throw new Refusal('Nothing was done')
}
