#!/usr/bin/env node
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { createClient } from '../dist/index.js'
import { listen } from '../dist/listen.js'
import { createKeyPem } from '../dist/local-delivery.js'

const usage = `Usage: certdata-client listen --forward http://localhost:8080/hook
       certdata-client keys | usage | webhooks | deliveries <webhook id>

  listen              sends signed webhook messages about your changes to an address of this machine, until Ctrl-C
  keys                prints the API keys of your company as JSON, without their secrets
  usage               prints your requests of 31 days by day and endpoint as JSON
  webhooks            prints your webhooks with their state as JSON
  deliveries <id>     prints the last 20 attempts of a webhook as JSON

  --url <url>          the service (default: CERTDATA_URL)
  --key -              read the API key from standard input (default: CERTDATA_API_KEY)

Only for listen:
  --forward <url>      the address of your receiver: localhost, 127.0.0.1 or [::1]
  --key-file <file>    keep the signing key in this file (default: a new key for each run)
  --resources <names>  only these, separated by commas (default: all that the key may read)`

class UsageError extends Error {}

const own = ['forward', 'key-file', 'resources']
const options = Object.fromEntries([
  ...['url', 'key', ...own].map((name) => [name, { type: 'string' }]),
  ['help', { type: 'boolean', short: 'h' }],
])

const readWords = () => {
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error.message)
  }
}

/** Never read from an argument: other users of the machine can see arguments. */
const readKey = async (key) => {
  if (key !== undefined && key !== '-') throw new UsageError('--key takes only -, for standard input')
  const apiKey = key === '-' ? (await text(process.stdin)).trim() : process.env.CERTDATA_API_KEY
  if (apiKey) return apiKey
  throw new UsageError('No API key: set CERTDATA_API_KEY, or write the key to standard input with --key -')
}

const othersMayUse = 0o077

/** Returns the key of this file, which is created with a new key if it does not exist. */
const readSigningKey = async (file) => {
  if (!existsSync(file)) writeFileSync(file, await createKeyPem(), { mode: 0o600, flag: 'wx' })
  // Windows has no such modes.
  if (process.platform !== 'win32' && statSync(file).mode & othersMayUse)
    throw new Error(`Other users may read the signing key: run chmod 600 ${file}`)
  return readFileSync(file, 'utf8')
}

const runListen = async (client, values) => {
  const file = values['key-file']
  const keyPem = file === undefined ? undefined : await readSigningKey(file)
  const { forward, resources } = values
  await listen({ client, forward, keyPem, resources: resources?.split(','), log: console.log })
}

const reads = {
  keys: (client) => client.listKeys(),
  usage: (client) => client.getUsage(),
  webhooks: (client) => client.listWebhooks(),
  deliveries: (client, id) => client.listWebhookDeliveries(id),
}

const requireWords = ({ values, positionals: [name, ...rest] }) => {
  if (name === 'listen') {
    if (rest.length > 0 || !values.forward) throw new UsageError('Expected: listen --forward <url>')
    return name
  }
  if (!Object.hasOwn(reads, name ?? ''))
    throw new UsageError(`Expected listen, ${Object.keys(reads).join(', ')}`)
  const foreign = own.find((option) => values[option] !== undefined)
  if (foreign) throw new UsageError(`--${foreign} is an option of listen`)
  const count = name === 'deliveries' ? 1 : 0
  if (rest.length !== count) throw new UsageError(`Expected: ${name}${count === 1 ? ' <webhook id>' : ''}`)
  return name
}

const run = async () => {
  const words = readWords()
  const { values, positionals } = words
  if (values.help) return console.log(usage)
  const name = requireWords(words)
  const { url = process.env.CERTDATA_URL } = values
  if (!url) throw new UsageError('No service: set CERTDATA_URL or --url')
  const client = createClient({ url, apiKey: await readKey(values.key) })
  if (name === 'listen') return runListen(client, values)
  const text = JSON.stringify(await reads[name](client, positionals[1]), null, 2)
  // Keep-alive connections would delay the exit.
  process.stdout.write(`${text}\n`, () => process.exit(0))
}

try {
  await run()
} catch (error) {
  const isUsage = error instanceof UsageError
  console.error(isUsage ? `${error.message}\n\n${usage}` : error.message)
  // Keep-alive connections would delay the exit.
  process.exit(isUsage ? 2 : 1)
}
