import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createDb, createPool, operatorRole, type QueuedDb, readerRole } from '../../../app/db/connect.ts'
import { migrate } from '../../../app/db/migrate.ts'
import { sampleChanges } from '../../../app/db/upkeep.ts'
import { readChanges } from '../../../app/features/feed/read.ts'
import type { SyncToken } from '../../../app/features/feed/token.ts'
import { createProveEmpty } from '../../../app/features/feed/unchanged.ts'
import { startEmbedded } from '../../../app/local/embedded.ts'
import { startTestFence } from '../../helper.ts'
import { makeDataFolder } from '../../servers.ts'

/** A copy of the database's files is restored: later transactions are lost, and their ids are used again. */

const packageRoot = join(import.meta.dirname, '../../..')
const [onOwnServer, onManaged, backup] = ['restore', 'managed', 'backup'].map(makeDataFolder) as [
  string,
  string,
  string,
]
t.teardown(() => {
  for (const folder of [onOwnServer, onManaged, backup]) rmSync(folder, { recursive: true, force: true })
})

type Open = { owner: QueuedDb; reader: QueuedDb; operator: QueuedDb; url: string }

const connect = (url: string, role?: string): QueuedDb =>
  createDb(
    createPool(url, {
      ...(role ? { role } : {}),
      max: 1,
      applicationName: 'restore',
      onError: () => {},
      statementTimeoutMs: 0,
    }),
  )

/** Denies all roles but superusers the functions that managed hosting denies. Returns the URL of such a role. */
const denyServerNames = async (url: string): Promise<string> => {
  const superuser = connect(url)
  await sql`
    do $$ begin
      if not exists (select from pg_roles where rolname = 'house') then
        create role house login createrole;
        execute format('alter database %I owner to house', current_database());
      end if;
    end $$;
    revoke execute on function pg_control_system(), pg_walfile_name(pg_lsn) from public`.execute(superuser)
  await superuser.destroy()
  return url.replace('//certdata@', '//house@')
}

/** Starts a server on the data for the duration of `use`. */
const withServer = async <T>(use: (open: Open) => Promise<T>, dataDir = onOwnServer): Promise<T> => {
  const server = await startEmbedded({
    dataDir,
    packageRoot,
    log: () => {},
    settings: { fsync: 'off' },
  })
  const { release } = server
  const url = dataDir === onManaged ? await denyServerNames(server.url) : server.url
  const owner = connect(url)
  await migrate(owner)
  const connections = { owner, reader: connect(url, readerRole), operator: connect(url, operatorRole) }
  try {
    return await use({ ...connections, url })
  } finally {
    for (const db of Object.values(connections)) await db.destroy()
    await release()
  }
}

const copy = (from: string, to: string) => {
  rmSync(to, { recursive: true })
  execFileSync('cp', ['-a', from, to])
}

const add = ({ operator }: Open, id: string) =>
  sql`insert into products (customer_id, id, name) values ('acme', ${id}, 'P')`.execute(operator)

const read = ({ reader }: Open, token?: SyncToken) =>
  readChanges(reader, {
    customerId: 'acme',
    token,
    resources: ['products'],
    limit: 100,
    day,
  })

const day = '2026-11-24'

/** Calls `use` with a check whether a process that polls this server answers the token without the database. */
const withFence = async <T>(
  { reader, url }: Open,
  use: (isProved: (token: SyncToken) => Promise<boolean>) => Promise<T>,
): Promise<T> => {
  const { poller, freshness } = await startTestFence(url)
  const clocks = { today: () => day, now: Date.now, monotonicNow: () => performance.now() }
  const prove = createProveEmpty({ db: reader, freshness, ...clocks })
  const isProved = async (token: SyncToken) => {
    await poller.confirmAfter()
    return (await prove({ customerId: 'acme', token })) !== undefined
  }
  return use(isProved).finally(() => poller.close())
}

const readSnapshot = async (open: Open) => (await read(open)).token.base

const listIds = (changes: readonly string[]) => changes.map((change) => JSON.parse(change).id)

const afterRestore = async (t: Test, dataDir: string) => {
  const withIt = <T>(use: (open: Open) => Promise<T>) => withServer(use, dataDir)
  const kept = await withIt(async (open) => {
    await sql`insert into customers (customer_id, name) values ('acme', 'acme')`.execute(open.operator)
    return (await read(open)).token
  })
  copy(dataDir, backup)
  const lost = await withIt(async (open) => {
    for (const id of ['lost-1', 'lost-2', 'lost-3']) await add(open, id)
    const { token } = await read(open, kept)
    await withFence(open, async (isProved) => t.ok(await isProved(token), 'before the restore'))
    return token
  })
  copy(backup, dataDir)
  await withIt((open) =>
    withFence(open, async (isProved) => {
      await t.rejects(read(open, lost), { code: 'sync_token_expired' }, 'not there yet')
      t.notOk(await isProved(lost))
      let count = 0
      // The new history uses the lost ids again, and later ones.
      while ((await readSnapshot(open)).xmin <= lost.base.xmax) await add(open, `new-${++count}`)
      await t.rejects(read(open, lost), { code: 'sync_token_expired' })
      t.notOk(await isProved(lost), 'its snapshot includes the floor, but its mark is lost')
      t.notOk(await isProved(kept))
      t.ok(await isProved((await read(open)).token))
      const { mark } = (await read(open)).token
      const { changes } = await read(open, { ...lost, mark })
      t.ok(changes.length < count, 'with the present mark it would be followed, and miss the first records')
      t.equal(listIds((await read(open, kept)).changes).length, count, 'an older one misses nothing')
    }),
  )
  await withIt(async (open) => {
    await t.rejects(read(open, lost), { code: 'sync_token_expired' }, 'after another start, too')
    t.ok((await read(open, kept)).changes.length > 0)
  })
}

t.test('permanently refuses a token of a history that was lost by a restore of files', (t) =>
  afterRestore(t, onOwnServer),
)

t.test('refuses such a token also if the server’s name is hidden, as on managed hosting', async (t) => {
  await withServer(async ({ reader }) => {
    const { rows } = await sql<{ name: string }>`select change_identity() as name`.execute(reader)
    t.match(rows[0]?.name, /^managed\.\d+\.\d+$/)
    await t.rejects(sql`select pg_control_system()`.execute(reader), { code: '42501' })
  }, onManaged)
  await afterRestore(t, onManaged)
})

t.test('a token survives restarts of the server and later marks', async (t) => {
  const token = await withServer(async (open) => (await read(open)).token)
  await withServer(async (open) => {
    await add(open, 'later-1')
    const page = await read(open, token)
    t.same(listIds(page.changes), ['later-1'])
    const before = (await read(open)).token.mark
    // As if a minute had passed.
    await sql`update change_marks set marked_at = marked_at - interval '1 minute'`.execute(open.owner)
    await sampleChanges(open.reader)
    t.not((await read(open)).token.mark, before, 'there is another mark')
    await sampleChanges(open.reader)
    await add(open, 'later-2')
    t.same(listIds((await read(open, page.token)).changes), ['later-2'])
    t.same(listIds((await read(open, token)).changes), ['later-1', 'later-2'])
  })
})
