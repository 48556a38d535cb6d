import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { Reported } from '../../command-line/refusal.ts'
import { createCommand, print, type Shell } from '../../command-line/shell.ts'
import { variables } from '../../config/variables.ts'
import { CannotVerify, type Credentials } from './account.ts'
import { addLatencyOptions, findLatencyOption, type LatencyOptions, runLatency } from './latency-command.ts'
import { type PromiseOutcome, type VerifyOptions, verifyService } from './verify.ts'

type Options = LatencyOptions & { demo?: true; key?: string }

const parseOrigin = (address: string): string => {
  const url = URL.parse(address)
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw new InvalidArgumentError('expected an address such as https://api.example, without a path')
}

const findCredentials = async (shell: Shell, { demo, key }: Options): Promise<Credentials | undefined> => {
  if (demo) return { demoToken: variables.DEMO_TOKEN.parse(shell.env.DEMO_TOKEN || undefined) }
  const apiKey = key === '-' ? (await text(shell.stdin)).trim() : (key ?? shell.env.CERTDATA_API_KEY)
  return apiKey ? { apiKey } : undefined
}

const words = { kept: 'ok', broken: 'BROKEN', skipped: 'skipped' }
const lineWidth = 100

const formatOutcome = ({ section, promise, outcome, reason, failures }: PromiseOutcome): string =>
  [
    `${`§${section} ${promise}`.padEnd(lineWidth)}  ${words[outcome]}${reason ? `: ${reason}` : ''}`,
    ...failures.flatMap(({ request, expected, seen }) => [
      `    ${request}`,
      `      expected ${expected}`,
      `      seen     ${seen}`,
    ]),
  ].join('\n')

const createVerify =
  (shell: Shell, features: VerifyOptions['features']) =>
  async (origin: string, options: Options, command: Command): Promise<void> => {
    const alone = options.latency ? undefined : findLatencyOption(options)
    if (alone !== undefined) return command.error(`error: --${alone} needs --latency`)
    const credentials = await findCredentials(shell, options)
    if (!credentials) {
      return command.error(
        'error: no API key: set CERTDATA_API_KEY, pass it on standard input with --key -, or use --demo',
      )
    }
    const outcomes: PromiseOutcome[] = []
    try {
      if (options.latency) return await runLatency(shell, origin, credentials, options)
      for await (const each of verifyService({ origin, credentials, features, pause: (ms) => delay(ms) })) {
        outcomes.push(each)
        if (!options.json) shell.stdout.write(`${formatOutcome(each)}\n`)
      }
    } catch (error) {
      if (error instanceof CannotVerify) command.error(`error: ${error.message}`)
      throw error
    }
    const count = (name: PromiseOutcome['outcome']) =>
      outcomes.filter(({ outcome }) => outcome === name).length
    const [kept, broken, skipped] = [count('kept'), count('broken'), count('skipped')]
    const summary = `${kept} promises kept, ${broken} broken, ${skipped} skipped`
    print(
      shell,
      options,
      { ok: broken === 0, url: origin, kept, broken, skipped, promises: outcomes },
      summary,
    )
    if (broken > 0) throw new Reported()
  }

/** `certdata verify` */
export const buildCommand = (shell: Shell, features: VerifyOptions['features']): Command =>
  addLatencyOptions(
    createCommand('verify', 'check from outside that a running service keeps the promises of its API')
      .argument('<url>', 'address of the service, such as https://api.example', parseOrigin)
      .option(
        '--key <key>',
        'API key of a customer; - reads it from standard input (default: CERTDATA_API_KEY)',
      )
      .addOption(new Option('--demo', 'use the token of the demo, with fewer requests').conflicts('key')),
  ).action(createVerify(shell, features))
