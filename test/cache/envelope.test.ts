import t from 'tap'
import { type CacheEntry, createEtag } from '../../app/cache/entry.ts'
import { openEnvelope, signEnvelope } from '../../app/cache/envelope.ts'
import { parseSnapshot } from '../../app/cache/snapshot.ts'
import { createSecrets } from '../../app/config/secrets.ts'

const secrets = createSecrets(['a secret of the tests that is longer than thirty-two characters'])
const body = Buffer.from('{"data":[]}')
const getEntry = (text: string, isOfStandby: boolean): CacheEntry => ({
  ...{ customerId: 'acme', key: 'k', dependsOn: ['products'], epoch: 'e', isAbsent: false, body },
  ...{ snapshot: parseSnapshot(text, isOfStandby), etag: createEtag('application/json', body) },
  encoded: new Map(),
})

t.test('other instances learn that a standby may have shown newer data', async (t) => {
  for (const isOfStandby of [true, false]) {
    const entry = getEntry('100:103:101', isOfStandby)
    const opened = openEnvelope('name', signEnvelope('name', entry, secrets), secrets)
    t.same(opened?.snapshot, entry.snapshot)
  }
})
