import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { parseConfig } from '../../app/config/config.ts'
import { openPools } from '../../app/main/pools.ts'
import { closeAfter, connectOwner, createTestDatabase, secretKey } from '../helper.ts'

t.test('a lost idle connection is a warning, except while the pools close', async (t) => {
  const database = await createTestDatabase()
  const owner = connectOwner(database)
  closeAfter(t, owner, database)
  const warnings: string[] = []
  const pools = openPools({
    config: parseConfig({ DATABASE_URL: database.url, SECRET_KEY: secretKey }),
    log: { info: () => {}, warn: (_details, message) => warnings.push(message) },
    url: database.url,
    onStatement: undefined,
    onUnfit: () => {},
  })
  const loseIdle = async () => {
    await sql`select 1`.execute(pools.reserved)
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'certdata' and state = 'idle'`.execute(owner)
    while (pools.figures().reserved?.open !== 0) await delay(5)
  }
  await loseIdle()
  t.match(warnings, ['an idle database connection was lost'])
  const known = warnings.length

  let closing: Promise<void> | undefined
  await pools.db.transaction().execute(async (trx) => {
    await sql`select 1`.execute(trx)
    // The transaction keeps the first pool from its end, so the second one is still open.
    closing = pools.close()
    await loseIdle()
  })
  await closing
  t.equal(warnings.length, known)
})
