import { isDeepStrictEqual } from 'node:util'
import type { StoredEntry } from '../../app/cache/entry.ts'
import { openEnvelope, signEnvelope } from '../../app/cache/envelope.ts'
import { parseSnapshot } from '../../app/cache/snapshot.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { ApiError } from '../../app/errors.ts'
import { createClientAddress, plainAddress } from '../../app/http/client-address.ts'
import { parsePairs } from '../../app/http/pairs.ts'
import { JsonError, parseUniqueJson } from '../../app/http/unique-json.ts'
import { createTokenVerifier, readBearer } from '../../app/identity/tokens.ts'
import { createCursorCodec } from '../../app/lists/cursor.ts'
import { formatParts } from '../../app/records/query/canonical.ts'
import { parseQuery } from '../../app/records/query/parse.ts'
import { resources } from '../../app/records/resources/index.ts'
import type { Target } from './fuzz.ts'

const expect = (holds: boolean, promise: string): void => {
  if (!holds) throw new Error(promise)
}

const secrets = createSecrets(['a secret key for the fuzzer, with 32 characters or more'])

const query: Target = {
  name: 'query',
  seeds: [
    'sort=-valid_until,number&limit=2&fields=number,valid_until&include=product',
    'valid_until[lt]=today%2B60d&expiring=true&country_code=DE,KR&number[prefix]=CE-',
    'tags[all]=a\\,b,c&brand[eq]=&q=tracker mini&count=exact&on=2027-06-30',
  ],
  words: [
    '&',
    '=',
    '[',
    ']',
    '[nin]=',
    '[null]=true',
    ',',
    '\\,',
    '%2C',
    '%',
    '+',
    'id=',
    'today-30d',
    'as_of=',
  ],
  check(input) {
    const raw = input.toString()
    for (const resource of [resources.certificates, resources.products]) {
      const outcome = parseQuery(resource, 'page', parsePairs(raw))
      if ('query' in outcome) {
        const { canonical } = formatParts(outcome.query)
        const again = parseQuery(resource, 'page', parsePairs(canonical))
        expect('query' in again, `the canonical form is refused: ${canonical}`)
        if ('query' in again) {
          expect(formatParts(again.query).canonical === canonical, `two canonical forms: ${canonical}`)
        }
      } else {
        expect(outcome.faults.length > 0, 'a refusal without a fault')
        const { corrected } = outcome
        if (corrected !== undefined) {
          expect(
            'query' in parseQuery(resource, 'page', parsePairs(corrected)),
            `the corrected query is refused: ${corrected}`,
          )
        }
      }
    }
  },
}

const peer = '192.0.2.1'
const header = (name: string) => createClientAddress({ isProxy: (address) => address === peer, header: name })
const readers = ['x-forwarded-for', 'forwarded', 'cf-connecting-ip'].map(
  (name) => [name, header(name)] as const,
)

const forwardedAddress: Target = {
  name: 'forwarded-address',
  seeds: [
    '198.51.100.7, 192.0.2.1',
    'for="[2001:db8:cafe::17]:4711";proto=https;by=203.0.113.43, for=192.0.2.1',
    '::ffff:192.0.2.1',
    'for=_hidden, for="_SEVKISEK"',
  ],
  words: ['for=', '"', '\\', '[', ']', ':', ';', ',', '::', '%eth0', '192.0.2.1', 'unknown'],
  check(input) {
    for (const [name, read] of readers) {
      const address = read({ socket: { remoteAddress: peer }, headers: { [name]: input.toString('latin1') } })
      expect(plainAddress(address)?.address === address, `${name}: not a canonical address: ${address}`)
    }
  },
}

const at = '2026-11-28T08:00:00.000000Z'
const entry: StoredEntry = {
  customerId: 'acme',
  key: '/v1/products?limit=2',
  dependsOn: ['products'],
  epoch: 'epoch',
  snapshot: parseSnapshot('10:20:12,15'),
  isAbsent: false,
  body: Buffer.from('{"data":[]}'),
  etag: 'W/"etag"',
  at,
  rows: 0,
  encoded: new Map(),
}
const name = 'certdata:{acme}:entry'
const envelope = signEnvelope(name, entry, secrets)

const sharedEntry: Target = {
  name: 'shared-entry',
  seeds: [envelope, envelope.subarray(0, 40)],
  words: ['\0', '{', '}', '"customerId":"acme"', '0000000000000000002099998'],
  check(input) {
    const opened = openEnvelope(name, input, secrets)
    expect(
      (opened !== undefined) === input.equals(envelope),
      'an envelope opens if and only if it is unchanged',
    )
  },
}

const jwt = {
  verify: () => {
    throw new Error('no signature matches')
  },
  sign: () => '',
}
const publicByHeader = new Map([['eyJhbGciOiJFZERTQSJ9', 'a key']])
const verifyToken = createTokenVerifier(jwt, {
  signingKeys: { publicByHeader } as never,
  publicUrl: 'https://api.example.com',
  accessTokenSeconds: 3600,
  now: () => 0,
})
const cursors = createCursorCodec(secrets)
const goodCursor = cursors.encode('acme', 'sort=name', ['a', 'b'])

const throwsOnly = (kind: new (...rest: never[]) => Error, call: () => unknown): void => {
  try {
    call()
  } catch (error) {
    if (!(error instanceof kind)) throw error
  }
}

const token: Target = {
  name: 'token',
  seeds: ['Bearer eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhIn0.AAAA', goodCursor],
  words: ['Bearer ', 'bearer', ' ', '.', '=', '-', '_', 'eyJhbGciOiJFZERTQSJ9'],
  check(input) {
    const text = input.toString()
    throwsOnly(ApiError, () => verifyToken(readBearer(text)))
    expect('keys' in cursors.decode('acme', 'sort=name', text) === (text === goodCursor), 'a forged cursor')
    expect(!('keys' in cursors.decode('beta', 'sort=name', text)), 'the cursor of another customer')
  },
}

const jsonNames: Target = {
  name: 'json-names',
  seeds: ['{"a":1,"b":{"a":[true,null,-1.5e3]},"c\\u0061":"x"}', '[{"a":1},{"a":2}]', '{"a":1,"\\u0061":2}'],
  words: ['{', '}', '[', ']', ',', ':', '"', '\\u0061', '\\', '"a":', '1e9', 'null', '\ufeff', '__proto__'],
  check(input) {
    const text = input.toString()
    let plain: { value: unknown } | undefined
    throwsOnly(SyntaxError, () => {
      plain = { value: JSON.parse(text) }
    })
    try {
      const value = parseUniqueJson(text)
      expect(plain !== undefined && isDeepStrictEqual(value, plain.value), 'JSON.parse reads it differently')
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      expect(error.position <= text.length, `the position ${error.position} is behind the end`)
      const isDuplicate = error.message.startsWith('two members')
      expect(plain === undefined || isDuplicate, `JSON.parse accepts it: ${error.message}`)
    }
  },
}

/** Of the kernel. */
export const targets: readonly Target[] = [query, forwardedAddress, sharedEntry, token, jsonNames]
