import { sql } from 'kysely'
import t from 'tap'
import { run } from '../../command-line.ts'
import { closeAfter, connectOwner, createTestDatabase } from '../../helper.ts'

t.test('status note announces maintenance and refuses wrong times', async (t) => {
  const database = await createTestDatabase()
  const owner = connectOwner(database)
  closeAfter(t, owner, database)
  const query = async (text: string) => (await sql.raw(text).execute(owner)).rows
  const note = (from: string, until: string, text: string) =>
    run(['status', 'note', '--from', from, '--until', until, '--text', text, '--json'], {
      env: { DATABASE_URL: database.url },
    })
  const added = await note('2026-12-01T22:00Z', '2026-12-02T00:30+01:00', 'New disks')
  t.equal(added.code, 0, added.stderr)
  t.strictSame(JSON.parse(added.stdout), {
    id: 1,
    from: '2026-12-01T22:00:00.000Z',
    until: '2026-12-01T23:30:00.000Z',
    text: 'New disks',
  })
  t.match(await query('select text from service_notes'), [{ text: 'New disks' }])
  for (const [from, until, text, reason] of [
    ['2026-12-01', '2026-12-02T00:00Z', 'x', /expected an instant/],
    ['2026-12-01T22:00', '2026-12-02T00:00Z', 'x', /expected an instant/],
    ['2026-13-01T22:00Z', '2026-12-02T00:00Z', 'x', /expected an instant/],
    ['2026-12-02T00:00Z', '2026-12-02T00:00Z', 'x', /must be later/],
    ['2026-12-01T22:00Z', '2026-12-02T00:00Z', ' ', /1 to 500 characters/],
  ] as const) {
    const refused = await note(from, until, text)
    t.not(refused.code, 0)
    t.match(refused.stderr, reason)
  }
  t.match(await query('select count(*)::integer as n from service_notes'), [{ n: 1 }])
})

t.test('status notes lists announcements, and status remove takes one back', async (t) => {
  const database = await createTestDatabase()
  const owner = connectOwner(database)
  closeAfter(t, owner, database)
  const status = (...words: string[]) => run(['status', ...words], { env: { DATABASE_URL: database.url } })
  const announce = (text: string) =>
    status('note', '--from', '2026-12-01T22:00Z', '--until', '2026-12-01T23:00Z', '--text', text)
  t.match((await status('notes')).stdout, 'no announcements')
  t.match((await announce('Wrong day')).stdout, /status remove 1\b/, 'the next step is named')
  await announce('Right day')
  const [from, until] = ['2026-12-01T22:00:00.000Z', '2026-12-01T23:00:00.000Z']
  const wrong = { id: 1, from, until, text: 'Wrong day' }
  const right = { id: 2, from, until, text: 'Right day' }
  t.strictSame(JSON.parse((await status('notes', '--json')).stdout), [right, wrong])
  t.match((await status('notes')).stdout, /id +from +until +text\n2 .*Right day\n1 .*Wrong day/)

  const removed = await status('remove', '1', '--json')
  t.strictSame(JSON.parse(removed.stdout), wrong)
  t.strictSame(JSON.parse((await status('notes', '--json')).stdout), [right])
  const trail = await sql<{ details: object }>`
    select personal -> 'details' as details from audit_entries join audit_persons using (entry_id)
    where action = 'status.remove'`.execute(owner)
  t.match(trail.rows, [{ details: wrong }], 'the trail keeps the text')

  const again = await status('remove', '1')
  t.not(again.code, 0)
  t.match(again.stderr, 'There is no announcement 1: see certdata status notes')
  t.match((await status('remove', 'x')).stderr, /expected an id/)
})
