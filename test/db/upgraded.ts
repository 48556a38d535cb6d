import type { Test } from 'tap'
import { createSecrets } from '../../app/config/secrets.ts'
import { createDb, createPool, operatorRole, readerRole } from '../../app/db/connect.ts'
import { migrate } from '../../app/db/migrate.ts'
import { ensureSigningKeys } from '../../app/identity/key-rotation.ts'
import { closeAfter, connectOwner, createTestExports, secretKey, type TestDatabase } from '../helper.ts'
import { testPostgres } from '../servers.ts'
import { restoreFixture } from './fixtures/release.ts'

const connect = (url: string, role: string) =>
  createDb(createPool(url, { role, max: 4, applicationName: 'test', onError: () => {} }))

/** Restores the database of a released version on a server of its own, and migrates it. */
export const openUpgraded = async (t: Test, version: string) => {
  const server = await testPostgres()
  const owner = connectOwner(server)
  const fixture = await restoreFixture(owner, version)
  await migrate(owner)
  await ensureSigningKeys(owner, createSecrets([secretKey]))
  const exports = createTestExports(server.url)
  const database: TestDatabase = {
    url: server.url,
    operator: connect(server.url, operatorRole),
    reader: connect(server.url, readerRole),
    reserved: connect(server.url, readerRole),
    exportSource: exports.source,
    close: () => server.stop(),
  }
  closeAfter(t, exports, database.operator, database.reader, database.reserved, owner, database)
  return { owner, database, ...fixture }
}
