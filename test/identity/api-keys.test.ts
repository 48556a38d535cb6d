import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { createSecrets, loadOrCreateSecret } from '../../app/config/secrets.ts'
import { createApiKey, matchesSecret, parseApiKey } from '../../app/identity/api-keys.ts'
import { toNoTokenError } from '../../app/identity/credential-errors.ts'
import { cases, fc } from '../random.ts'

const base62 = [...'0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ']
const anyKey = fc.constant(null).map(createApiKey)
const anyBytes = fc.uint8Array({ maxLength: 200 })

t.test('an API key in the place of a token is named as such, and other text is not', async (t) => {
  const { apiKey } = createApiKey()
  t.match(toNoTokenError(apiKey), { code: 'invalid_token', message: /This is an API key/ })
  t.notMatch(toNoTokenError('nonsense').message, /This is an API key/)
})

t.test('a new key parses to its id and a secret that matches only its hash', (t) => {
  fc.assert(
    fc.property(anyKey, anyKey, (key, other) => {
      const parts = parseApiKey(key.apiKey)
      return (
        /^cda_live_[a-z0-9]{16}_[A-Za-z0-9]{38}$/.test(key.apiKey) &&
        parts?.keyId === key.keyId &&
        matchesSecret(parts.secret, key.secretSha256) &&
        !matchesSecret(parts.secret, other.secretSha256) &&
        key.keyId !== other.keyId
      )
    }),
  )
  t.end()
})

t.test('the characters of a secret are evenly spread', (t) => {
  const counts = new Map<string, number>()
  for (let i = 0; i < 1000; i++) {
    for (const character of parseApiKey(createApiKey().apiKey)?.secret ?? '') {
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
  }
  const expected = (1000 * 32) / 62
  t.equal(counts.size, 62)
  // 7 standard deviations: a biased choice (256 % 62) is 25 % off.
  for (const count of counts.values()) t.ok(Math.abs(count - expected) < 7 * Math.sqrt(expected))
  t.end()
})

t.test('a key with one wrong character or two swapped characters is rejected', (t) => {
  const place = fc.nat({ max: 63 })
  fc.assert(
    fc.property(anyKey, place, fc.constantFrom(...base62), ({ apiKey }, at, character) => {
      const typo = apiKey.slice(0, at) + character + apiKey.slice(at + 1)
      return typo === apiKey || parseApiKey(typo) === undefined
    }),
    { numRuns: cases(2000) },
  )
  fc.assert(
    fc.property(anyKey, fc.nat({ max: 62 }), ({ apiKey }, at) => {
      const swapped = apiKey.slice(0, at) + apiKey[at + 1] + apiKey[at] + apiKey.slice(at + 2)
      return swapped === apiKey || parseApiKey(swapped) === undefined
    }),
  )
  t.end()
})

t.test('parses only a whole key and ignores white space around it', (t) => {
  fc.assert(fc.property(fc.string(), (text) => parseApiKey(text) === undefined))
  fc.assert(
    fc.property(anyKey, fc.string({ minLength: 1 }), ({ apiKey }, more) =>
      [`${more}x${apiKey}`, `${apiKey}x${more}`, apiKey.slice(0, -1)].every(
        (text) => parseApiKey(text) === undefined,
      ),
    ),
  )
  const { apiKey, keyId } = createApiKey()
  t.equal(parseApiKey(` \t${apiKey}\r\n`)?.keyId, keyId)
  t.equal(parseApiKey(apiKey.replace('_', '_ ')), undefined)
  t.end()
})

const oldKey = 'o'.repeat(32)
const newKey = 'n'.repeat(32)
const current = createSecrets([newKey, oldKey])
const previous = createSecrets([oldKey])

t.test('a MAC verifies only for its purpose and data, whole or cut to at least 16 bytes', (t) => {
  fc.assert(
    fc.property(anyBytes, anyBytes, (data, other) => {
      const mac = current.mac('cursor', data)
      const same = Buffer.from(data).equals(other)
      return (
        mac.length === 32 &&
        current.verifyMac('cursor', data, mac) &&
        current.verifyMac('cursor', data, mac.subarray(0, 16)) &&
        !current.verifyMac('cursor', data, mac.subarray(0, 15)) &&
        !current.verifyMac('cursor', data, Buffer.concat([mac, Buffer.of(0)])) &&
        !current.verifyMac('sync token', data, mac) &&
        current.verifyMac('cursor', other, mac) === same
      )
    }),
  )
  fc.assert(
    fc.property(anyBytes, fc.nat({ max: 255 }), fc.integer({ min: 1, max: 255 }), (data, at, flip) => {
      const mac = current.mac('cursor', data)
      mac[at % 32] = (mac[at % 32] ?? 0) ^ flip
      return !current.verifyMac('cursor', data, mac)
    }),
  )
  t.end()
})

t.test('the first key signs and encrypts, all keys verify and decrypt', (t) => {
  t.ok(current.verifyMac('cursor', 'x', previous.mac('cursor', 'x')))
  t.notOk(previous.verifyMac('cursor', 'x', current.mac('cursor', 'x')))
  t.equal(current.decrypt('p', previous.encrypt('p', 'x')).toString(), 'x')
  t.throws(() => previous.decrypt('p', current.encrypt('p', 'x')), /no key in SECRET_KEY decrypts this value/)
  t.throws(() => createSecrets([]), RangeError)
  t.end()
})

t.test('an encrypted text decrypts only for its purpose, and not after a bit changed', (t) => {
  fc.assert(
    fc.property(anyBytes, fc.nat(), fc.integer({ min: 1, max: 255 }), (plaintext, at, flip) => {
      const encrypted = current.encrypt('p', plaintext)
      if (!current.decrypt('p', encrypted).equals(plaintext)) return false
      const changed = Buffer.from(encrypted)
      changed[at % encrypted.length] = (changed[at % encrypted.length] ?? 0) ^ flip
      return [() => current.decrypt('q', encrypted), () => current.decrypt('p', changed)].every((attempt) => {
        try {
          attempt()
          return false
        } catch {
          return true
        }
      })
    }),
  )
  t.throws(() => current.decrypt('p', Buffer.alloc(0)))
  t.notOk(current.encrypt('p', 'x').equals(current.encrypt('p', 'x')), 'a nonce is never used twice')
  t.end()
})

const folder = mkdtempSync(join(tmpdir(), 'certdata-secrets-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const module = join(import.meta.dirname, '../../app/config/secrets.ts')
const rounds = 30
// All threads start at the same instant and race for each file, as processes do.
const loadInThread = async (start: number): Promise<string[]> => {
  const program = `import { parentPort } from 'node:worker_threads'
    import { loadOrCreateSecret } from ${JSON.stringify(pathToFileURL(module))}
    while (Date.now() < ${start});
    const files = Array.from({ length: ${rounds} }, (_, i) => ${JSON.stringify(folder)} + '/' + i)
    parentPort.postMessage(files.map(loadOrCreateSecret))`
  const [secrets] = await once(
    new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`)),
    'message',
  )
  return secrets
}

t.test('instances that start together agree on one secret, which only this user can read', async (t) => {
  const start = Date.now() + 400
  const [first = [], ...others] = await Promise.all([1, 2, 3].map(() => loadInThread(start)))
  t.equal(new Set(first).size, rounds)
  for (const other of others) t.strictSame(other, first)
  const file = join(folder, '0')
  t.equal(loadOrCreateSecret(file), first[0])
  t.ok(readFileSync(file, 'utf8').trim().length >= 43)
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.equal(readdirSync(folder).length, rounds, 'nothing else is left behind')
})

t.test('a secret file that is too short is refused with its name', async (t) => {
  const file = join(folder, 'short')
  writeFileSync(file, 'short\n')
  t.throws(() => loadOrCreateSecret(file), new RegExp(`${file}: expected a secret of at least 32`))
})
