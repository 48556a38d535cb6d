import t from 'tap'
import { createEtag, type Entry } from '../../app/cache/entry.ts'
import { openEnvelope, sealEntry } from '../../app/cache/envelope.ts'
import { parseSnapshot } from '../../app/cache/snapshot.ts'
import { createSecrets } from '../../app/config/secrets.ts'

const secrets = createSecrets(['a secret of the tests that is longer than thirty-two characters'])
const body = Buffer.from('{"data":[]}')
const entryOf = (text: string, isOfStandby: boolean): Entry => ({
  ...{ customerId: 'acme', key: 'k', dependsOn: ['products'], epoch: 'e', isAbsent: false, body },
  ...{ snapshot: parseSnapshot(text, isOfStandby), etag: createEtag('application/json', body) },
  encoded: new Map(),
})

t.test('other instances, too, are told that a standby may have shown more than it says', async (t) => {
  for (const isOfStandby of [true, false]) {
    const entry = entryOf('100:103:101', isOfStandby)
    const opened = openEnvelope('name', sealEntry('name', entry, secrets), secrets)
    t.same(opened?.snapshot, entry.snapshot)
  }
})
