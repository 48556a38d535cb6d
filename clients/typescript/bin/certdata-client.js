#!/usr/bin/env node
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { createClient } from '../dist/index.js'
import { listen } from '../dist/listen.js'
import { createKeyPem } from '../dist/local-delivery.js'

const usage = `Usage: certdata-client listen --forward http://localhost:8080/hook

Sends signed webhook messages about your changes to an address of this machine. Ctrl-C ends it.

  --forward <url>      the address of your receiver: localhost, 127.0.0.1 or [::1]
  --url <url>          the service (default: CERTDATA_URL)
  --key -              read the API key from standard input (default: CERTDATA_API_KEY)
  --key-file <file>    keep the signing key in this file (default: a new key for each run)
  --resources <names>  only these, separated by commas (default: all that the key may read)`

class UsageError extends Error {}

const names = ['forward', 'url', 'key', 'key-file', 'resources']
const options = Object.fromEntries([
  ...names.map((name) => [name, { type: 'string' }]),
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

const run = async () => {
  const { values, positionals } = readWords()
  const { forward, url = process.env.CERTDATA_URL, key, resources, help } = values
  if (help) return console.log(usage)
  if (positionals.join() !== 'listen' || !forward) throw new UsageError('Expected: listen --forward <url>')
  if (!url) throw new UsageError('No service: set CERTDATA_URL or --url')
  const client = createClient({ url, apiKey: await readKey(key) })
  const file = values['key-file']
  const keyPem = file === undefined ? undefined : await readSigningKey(file)
  await listen({ client, forward, keyPem, resources: resources?.split(','), log: console.log })
}

try {
  await run()
} catch (error) {
  const isUsage = error instanceof UsageError
  console.error(isUsage ? `${error.message}\n\n${usage}` : error.message)
  // Keep-alive connections would delay the exit.
  process.exit(isUsage ? 2 : 1)
}
