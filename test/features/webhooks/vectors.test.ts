import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { writeSignedVectors } from '../../../clients/vectors/signed/write.ts'

const root = join(import.meta.dirname, '../../..')

t.test('the signed vectors are equal to the service’s output', async (t) => {
  for (const [name, text] of Object.entries(writeSignedVectors())) {
    const committed = readFileSync(join(root, `clients/vectors/${name}.json`), 'utf8')
    t.ok(committed === text, `${name}; else: npm run client:vectors`)
  }
})
