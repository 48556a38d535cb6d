import assert from 'node:assert/strict'
import t from 'tap'
import { createSecrets } from '../../../app/config/secrets.ts'
import { createCursorCodec } from '../../../app/lists/cursor.ts'
import { cases, fc } from '../../random.ts'

const secret = 'a secret of more than thirty-two characters'
const codec = createCursorCodec(createSecrets([secret]))
const anyKeys = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 })

t.test('a cursor decodes to its keys', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.string(), anyKeys, (selection, keys) => {
        assert.deepEqual(codec.decode('acme', selection, codec.encode('acme', selection, keys)), { keys })
      }),
    ),
  )
})

t.test('a cursor changed in any one character is refused', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(anyKeys, fc.nat(), fc.constantFrom(...'ABab01-_=. \u00e4'), (keys, at, character) => {
        const cursor = codec.encode('acme', 'x', keys)
        const place = at % cursor.length
        const changed = cursor.slice(0, place) + character + cursor.slice(place + 1)
        if (changed !== cursor) assert.ok('detail' in codec.decode('acme', 'x', changed))
        assert.ok('detail' in codec.decode('acme', 'x', cursor.slice(0, place)))
        assert.ok('detail' in codec.decode('acme', 'x', `${cursor}${character}`))
      }),
      { numRuns: cases(300) },
    ),
  )
})

t.test('a cursor is refused for another customer, and for another query with the reason', async (t) => {
  const cursor = codec.encode('acme', 'certificates?tags=a', ['k', 'id'])
  t.match(codec.decode('bolt', 'certificates?tags=a', cursor), { detail: /unchanged/ })
  t.notOk(codec.isGenuine('bolt', cursor))
  t.match(codec.decode('acme', 'certificates?tags=b', cursor), { detail: /other filters/ })
  t.ok(codec.isGenuine('acme', cursor))
})

t.test('a cursor survives a key rotation while the old key is configured', async (t) => {
  const next = 'another secret of more than thirty-two characters'
  const cursor = codec.encode('acme', 'x', ['k', 'id'])
  t.match(createCursorCodec(createSecrets([next, secret])).decode('acme', 'x', cursor), { keys: ['k', 'id'] })
  t.match(createCursorCodec(createSecrets([next])).decode('acme', 'x', cursor), { detail: String })
})
