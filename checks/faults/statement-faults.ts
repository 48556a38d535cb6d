import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { hangMs, refused, refusedOrQueued, whilePollsFail } from './expectations.ts'
import type { Expected, Fault } from './fault.ts'
import type { Stage } from './stage.ts'

const alter = async ({ database: { owner } }: Stage, statement: string) => {
  await owner.query(`alter system ${statement}`)
  await owner.query('select pg_reload_conf()')
}

/** Reads are answered. Logins are refused, because they write to the database. */
const onlyLogins: Expected = {
  text: 'reads answered, logins 503 unavailable',
  allowed: { login: refused },
  seen: { login: '503 unavailable' },
  isWarned: true,
  // Fewer than one per login.
  mostWarnings: 10,
}

const postgresReadOnly: Fault = {
  name: 'PostgreSQL read-only (default_transaction_read_only)',
  expected: onlyLogins,
  start: (stage) => alter(stage, 'set default_transaction_read_only = on'),
  async end({ database: { owner } }) {
    await owner.query('set default_transaction_read_only = off; set transaction_read_only = off')
    await owner.query('alter system reset default_transaction_read_only')
    await owner.query('select pg_reload_conf()')
  },
}

const diskFull = '53100'
const entry = JSON.stringify([{ actor: 'operator', action: 'keys.list', outcome: 'ok', details: {} }])

/** Writes audit entries until the disk is full. Free space in the last page of a table may take some entries. */
const writeUntilFull = async (owner: pg.Pool) => {
  for (let count = 0; count < 5_000; count += 1) {
    try {
      await owner.query('select append_audit($1::json)', [entry])
    } catch (error) {
      if ((error as { code?: string }).code === diskFull) return
      throw error
    }
  }
  throw new Error('the disk is not full')
}

const plant = `
create function refuse_entry() returns trigger language plpgsql as
  $$ begin raise 'could not extend file: No space left on device' using errcode = '${diskFull}'; end $$;
create trigger planted before insert on audit_entries execute function refuse_entry()`

const postgresFull: Fault = {
  name: 'PostgreSQL full (disk)',
  expected: onlyLogins,
  async start({ database: { disk, owner } }) {
    if (!disk) return void (await owner.query(plant))
    disk.fill()
    await writeUntilFull(owner)
  },
  async end({ database: { disk, owner } }) {
    if (disk) disk.free()
    else await owner.query('drop trigger planted on audit_entries; drop function refuse_entry')
  },
}

let unlock = async () => {}

const tableLocked: Fault = {
  name: 'a table locked for 8 s (ACCESS EXCLUSIVE)',
  expected: {
    text: 'pages of the table 503 after at most 7 s, the rest answered',
    allowed: { uncached: refusedOrQueued, shared: refusedOrQueued, changes: ['503 overloaded'] },
    // Polls continue, so that no answer is stale.
    otherMs: hangMs,
    isWarned: true,
  },
  holdMs: 8_000,
  async start({ database: { owner } }) {
    const client = await owner.connect()
    await client.query('begin; lock table certificates in access exclusive mode')
    unlock = async () => {
      await client.query('rollback')
      client.release()
    }
  },
  end: () => unlock(),
}

const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
  where backend_type = 'client backend' and datname = current_database() and application_name like 'certdata%'`

let stopTerminating = async () => {}

const backendsTerminated: Fault = {
  name: 'all backends terminated, twice a second',
  expected: {
    text: 'statements in progress 503 unavailable, the rest answered',
    allowed: whilePollsFail,
    isWarned: true,
    // The log may contain a warning for each lost connection.
    mostWarnings: 100,
  },
  async start({ database: { owner } }) {
    const stopping = new AbortController()
    const repeat = async () => {
      while (!stopping.signal.aborted) {
        await owner.query(terminate)
        await delay(500, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
    const running = repeat()
    stopTerminating = () => {
      stopping.abort()
      return running
    }
  },
  end: () => stopTerminating(),
}

/** PostgreSQL refuses, delays or ends statements while it is reachable. */
export const statementFaults = {
  postgresReadOnly,
  postgresFull,
  tableLocked,
  backendsTerminated,
} satisfies Record<string, Fault>
