import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { closeAfter, createTestDatabase, secretKey } from '../../helper.ts'
import { startService, untilReady } from '../../service.ts'

const database = await createTestDatabase()
closeAfter(t, database)

t.test('minutes have the time of the database, not of the machine', async (t) => {
  const file = join(t.testdir(), 'offset')
  writeFileSync(file, String(48 * 3_600_000))
  const service = await startService(
    { DATABASE_URL: database.url, SECRET_KEY: secretKey, TEST_CLOCK_FILE: file },
    { execArgv: ['--import', join(import.meta.dirname, '../../main/shifted-clock.ts')] },
  )
  t.teardown(() => service.stop('SIGKILL'))
  await untilReady(service)
  // A stopping process writes its last minute.
  t.equal(await service.stop(), 0)
  const { rows } = await sql<{ count: number; near: boolean }>`
    select count(*)::integer as count, bool_and(abs(extract(epoch from now() - minute)) < 300) as near
    from service_minutes`.execute(database.operator)
  t.match(rows, [{ count: 1, near: true }])
})
