import { parseSnapshot } from '../../app/cache/snapshot.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { createTokenCodec } from '../../app/features/feed/token.ts'
import type { Target } from './fuzz.ts'

const tokens = createTokenCodec(createSecrets(['a secret key for the fuzzer, with 32 characters or more']))
const good = tokens.encode('acme', {
  identity: 'identity',
  issuedAt: 1,
  resources: ['products'],
  moment: { day: '2026-11-28', window: 90 },
  base: parseSnapshot('100:200:150'),
  baseAt: '2026-11-28T08:00:00.000000Z',
  mark: 'mark',
})

export const syncToken: Target = {
  name: 'sync-token',
  seeds: [good],
  words: ['.', '=', '-', '_', good.slice(0, 8)],
  check(input) {
    const text = input.toString()
    const isForged = (tokens.decode('acme', text) !== undefined) !== (text === good)
    if (isForged) throw new Error('a forged sync token')
    if (tokens.decode('beta', text)) throw new Error('the sync token of another customer')
  },
}
