import { sql } from 'kysely'
import t from 'tap'
import { changeDemoRecord } from '../../../app/features/demo/changes.ts'
import { loadExampleData } from '../../../app/local/example-data.ts'
import { connectOwner, createTestDatabase, secretKey, until } from '../../helper.ts'
import { startService } from '../../service.ts'

t.test('after a crash of all instances, the next start undoes the changes of the demo', async (t) => {
  const database = await createTestDatabase()
  t.teardown(() => database.close())
  const today = new Date().toISOString().slice(0, 10)
  await loadExampleData(database.operator, today)
  await changeDemoRecord(database.reader)
  const owner = connectOwner(database)
  t.teardown(() => owner.destroy())
  const isUndone = async () => {
    const { rows } = await sql`select from demo_changes where until is not null`.execute(owner)
    return rows.length === 0
  }
  t.notOk(await isUndone())
  await sql`update demo_changes set until = now() where until is not null`.execute(owner)
  const service = await startService({ DATABASE_URL: database.url, SECRET_KEY: secretKey })
  t.teardown(() => service.stop('SIGKILL'))
  await until('it is undone', isUndone)
})
