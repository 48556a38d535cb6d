import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import type { Test } from 'tap'
import type { FreshnessCheck } from '../../../app/cache/freshness.ts'
import { createSecrets } from '../../../app/config/secrets.ts'
import type { LiveAnswer } from '../../../app/export/exports.ts'
import { createFeed } from '../../../app/features/feed/feed.ts'
import { createTokenCodec } from '../../../app/features/feed/token.ts'
import { createProveEmpty } from '../../../app/features/feed/unchanged.ts'
import { createWaiting } from '../../../app/features/feed/wait.ts'
import { createQueryString } from '../../../app/http/pairs.ts'
import type { Principal } from '../../../app/identity/principal.ts'
import { secretKey, type TestDatabase } from '../../helper.ts'
import { type Asker, type Fields, type Records, withoutExcepted } from '../../records/read-all.ts'

export type Change = {
  op: 'upsert' | 'delete'
  resource: string
  id: string
  cause?: string
  data: Fields | null
}

/** All that a client has to do with changes. */
export const applyChanges = (records: Records, changes: readonly Change[]): void => {
  for (const { op, resource, id, data } of changes) {
    if (op === 'delete') records.delete(`${resource}/${id}`)
    else records.set(`${resource}/${id}`, withoutExcepted(data as Fields))
  }
}

export type Follower = {
  records: Records
  /** Requests the whole state. The next step applies it, so changes may happen in between. */
  start(): Promise<void>
  /** Reads a page and applies it. Returns whether there are more. Starts again after 410. */
  step(limit: number, noCache?: boolean): Promise<boolean>
  catchUp(limit: number): Promise<void>
  /** The number of expired tokens. */
  readonly restarts: number
}

const readBody = async ({ body }: LiveAnswer): Promise<string> =>
  body instanceof Readable ? text(body) : String(body)

/** Follows the feed like a client, without HTTP. The last polls of `catchUp` have `no-cache`. */
export const createFollower = (database: TestDatabase, asker: Asker, freshness: FreshnessCheck): Follower => {
  const { reader: db } = database
  const clocks = { today: () => asker.day, now: Date.now, monotonicNow: () => performance.now() }
  const feed = createFeed({
    db,
    tokens: createTokenCodec(createSecrets([secretKey])),
    waiting: createWaiting({ listen: () => () => {}, databaseNow: Date.now, isDraining: () => false }),
    concurrency: { hold: async () => {} },
    source: database.exportSource,
    proveEmpty: createProveEmpty({ db, freshness, ...clocks }),
    publicUrl: 'http://api.test',
    today: clocks.today,
    databaseNow: Date.now,
  })
  const principal = (): Principal => ({
    kind: 'live',
    customerId: asker.customerId,
    keyId: 'k',
    scopes: undefined,
    expiringWithin: 90,
    plan: 'premium',
  })
  const ask = async (rawQuery: string, noCache = false) =>
    feed.answer({
      principal: principal(),
      reauthorize: async () => principal(),
      query: feed.parse({ principal: principal(), rawQuery: createQueryString(rawQuery) }),
      isHead: false,
      noCache,
      httpVersion: '1.1',
      address: '127.0.0.1',
      ending: { destroyed: false, once: () => {} },
      countRows: () => {},
    })
  const records: Records = new Map()
  let token = ''
  let state: LiveAnswer | undefined
  let restarts = 0

  const takeState = async () => {
    if (!state) return
    const lines = (await readBody(state)).trimEnd()
    records.clear()
    if (lines !== '') {
      applyChanges(
        records,
        lines.split('\n').map((line) => JSON.parse(line) as Change),
      )
    }
    token = state.headers['sync-token'] as string
    state = undefined
  }

  const follower: Follower = {
    records,
    async start() {
      await takeState()
      state = await ask('after=snapshot')
    },
    async step(limit, noCache = false) {
      await takeState()
      try {
        const page = JSON.parse(await readBody(await ask(`after=${token}&limit=${limit}`, noCache)))
        applyChanges(records, page.data)
        token = page.page.next_token
        return page.page.has_more
      } catch (error) {
        if ((error as { code?: string }).code !== 'sync_token_expired') throw error
        restarts += 1
        await follower.start()
        return true
      }
    },
    async catchUp(limit) {
      while (await follower.step(limit, true));
    },
    get restarts() {
      return restarts
    },
  }
  return follower
}

/** Describes at most 10 differences. */
export const listDifferences = (followed: Records, read: Records): string[] => {
  const differences: string[] = []
  for (const [key, record] of read) {
    const mine = followed.get(key)
    if (!mine) differences.push(`${key} is missing`)
    else if (JSON.stringify(mine) !== JSON.stringify(record)) {
      const fields = Object.keys(record).filter(
        (name) => JSON.stringify(mine[name]) !== JSON.stringify(record[name]),
      )
      differences.push(...fields.map((name) => `${key}.${name}: ${mine[name]} is ${record[name]}`))
    }
  }
  for (const key of followed.keys()) if (!read.has(key)) differences.push(`${key} is gone`)
  return differences.slice(0, 10)
}

/** Gives the database another identity, as after a restore. Its log still has the old rows. */
export const changeIdentity = async (owner: { query(text: string): Promise<unknown> }, salt: string) => {
  const base = `(select system_identifier from pg_control_system())`
  await owner.query(`create or replace function change_identity() returns text
    language sql stable security definer set search_path = public, pg_temp as $$ select ${base} || '${salt}' $$`)
}

/** Changes the identity until the end of the test. */
export const pretendRestore = async (t: Test, url: string): Promise<void> => {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  t.teardown(async () => {
    await changeIdentity(owner, '')
    await owner.end()
  })
  await changeIdentity(owner, '-restored')
}
