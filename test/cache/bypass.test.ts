import { sql } from 'kysely'
import t from 'tap'
import { regainTrust } from '../../app/db/trust.ts'
import { asCustomer, closeAfter, connectOwner, createTestApp, createTestDatabase, until } from '../helper.ts'

const database = await createTestDatabase()
const owner = connectOwner(database)
const lines: string[] = []
const logStream = { write: (line: string) => void lines.push(line), lost: 0 }
const app = await createTestApp(database, { logStream: logStream as never, env: { LOG_LEVEL: 'info' } })
closeAfter(t, app, owner, database)
const { get } = await asCustomer(database, app, 'acme')
const read = () => get('/v1/lab', { 'cache-control': '' })
const run = (text: string) => sql.raw(text).execute(owner)
const probeRound = async (): Promise<string[]> => {
  const results: string[] = []
  for (let result = ''; result !== 'nothing'; results.push(result)) result = await app.probeFreshness()
  return results
}
const runFaults = (faults: readonly string[]) =>
  run(faults.map((fault) => /`(.*)`/s.exec(fault)?.[1]).join(';'))

const disabled = (statement: string) =>
  `alter table lab disable trigger all; ${statement}; alter table lab enable trigger all`
const columns = 'customer_id, id, report_number, title, status'

const bypasses: Readonly<Record<string, string>> = {
  'an update with disabled triggers': disabled(`update lab set title = 'updated'`),
  'an insert with disabled triggers': disabled(
    `insert into lab select (jsonb_populate_record(r, '{"id": "r-2"}')).* from lab r`,
  ),
  'a truncate with disabled triggers': disabled('truncate lab'),
  'an update after enable trigger all, as a replica': `alter table lab disable trigger all;
    alter table lab enable trigger all;
    set session_replication_role = replica; update lab set title = 'as a replica'; reset session_replication_role`,
  'a rewritten column': `alter table lab alter column title type text using upper(title)`,
  'a dropped trigger': `drop trigger lab_log_update on lab; update lab set title = 'dropped'`,
  'a row of a child table': `create table lab_2025 () inherits (lab);
    insert into lab_2025 select (jsonb_populate_record(r, '{"id": "r-9"}')).* from only lab r`,
  'a deleted row of the log': `begin; update lab set title = 'deleted log'; delete from change_log; commit`,
}

for (const [bypass, statement] of Object.entries(bypasses))
  t.test(`the probe corrects answers after ${bypass}`, async (t) => {
    await run('truncate lab')
    await run(`insert into lab (${columns}) values ('acme', 'r-1', 'N', 'first', 'draft')`)
    await get('/v1/lab')
    const { body } = await read()
    await run(statement)
    t.equal((await read()).body, body, 'the wrong answer')
    t.ok((await probeRound()).includes('different'))
    t.not((await read()).body, body)
    const { faults } = await regainTrust(owner)
    if (faults.length > 0) await runFaults(faults)
    t.same((await regainTrust(owner)).faults, [])
    await until('the end', () => app.readDistrust().lab === 0)
  })

t.test('as a replica with triggers that always fire, changes are logged', async (t) => {
  await run(`insert into lab (${columns}) values ('acme', 'r-3', 'N', 'first', 'draft')`)
  await get('/v1/lab')
  await run(
    `set session_replication_role = replica; update lab set title = 'logged'; reset session_replication_role`,
  )
  await until('the change', async () => (await read()).body.includes('logged'))
  t.notOk((await probeRound()).includes('different'))
})

t.test('begin and end have one line each, and a figure for each resource', async (t) => {
  const getFigures = async () => {
    const { text } = await app.metrics.read()
    return [...text.matchAll(/^certdata_distrusted_resources\{resource="(\w+)"\} 1$/gm)].map(
      ([, name]) => name,
    )
  }
  await get('/v1/lab')
  lines.length = 0
  for (const title of ['one', 'two']) {
    await get('/v1/lab')
    await run(disabled(`update lab set title = '${title}'`))
    await probeRound()
  }
  t.same(await getFigures(), ['lab'])
  await regainTrust(owner)
  await until('the end', () => app.readDistrust().lab === 0)
  t.same(await getFigures(), [])
  const said = lines.filter((line) => /trusted|differs/.test(line)).map((line) => JSON.parse(line))
  t.same(said.map(({ msg }) => msg.replace(/:.*/, '')).sort(), [
    'A cached answer differs from the database, and no change was logged',
    'cached answers are distrusted',
    'cached answers are trusted again',
  ])
  t.match(
    said.find(({ distrusted }) => distrusted),
    { distrusted: [{ resource: 'lab', history_from: /^20/ }], faults: [] },
  )
})
