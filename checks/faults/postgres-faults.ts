import { hangMs, refused, refusedOrQueued, stale } from './expectations.ts'
import type { Expected, Fault } from './fault.ts'
import { staleMaxSeconds } from './stage.ts'

/** The database cannot be asked: what is in memory is served as stale, all else is refused. */
const away: Expected = {
  text: 'from memory stale, the rest 503 unavailable, recovered in 2 s',
  allowed: {
    ...{ cached: stale, item: stale, login: refused, changes: refused },
    // A page that was read while the polls failed says so: the rights of its customer may have changed.
    ...{ uncached: [...stale, ...refused], shared: [...stale, ...refused] },
  },
  seen: { cached: 'stale', item: 'stale', uncached: '503 unavailable', login: '503 unavailable' },
  isWarned: true,
  // Each of the 34 connections that are lost may be told.
  mostWarnings: 60,
}

/** The same where its processes hang: a statement under way waits until it is given up. */
const hanging: Expected = {
  ...away,
  text: 'as killed; statements under way 503 after at most 7 s',
  allowed: {
    ...away.allowed,
    ...{ login: refusedOrQueued, changes: refusedOrQueued },
    ...{ uncached: [...stale, ...refusedOrQueued], shared: [...stale, ...refusedOrQueued] },
  },
  otherMs: hangMs,
}

const postgresKilled: Fault = {
  name: 'PostgreSQL killed (SIGKILL), started again',
  expected: away,
  start: ({ database }) => database.server.kill(),
  end: ({ database }) => database.server.launch(),
}

const stopped: Pick<Fault, 'start' | 'end'> = {
  start: async ({ database }) => database.server.pause(),
  end: async ({ database }) => database.server.resume(),
}

const postgresStopped: Fault = {
  name: 'PostgreSQL stopped (SIGSTOP)',
  expected: hanging,
  holdMs: hangMs,
  ...stopped,
}

const lateRefusal = (kind: 'cached' | 'item') => ({ [kind]: [...stale, ...refused] })

const postgresStoppedLong: Fault = {
  name: `PostgreSQL stopped for longer than STALE_MAX_SECONDS (${staleMaxSeconds})`,
  expected: {
    ...hanging,
    text: 'stale at first, later 503 unavailable',
    allowed: { ...hanging.allowed, ...lateRefusal('cached'), ...lateRefusal('item') },
    seen: { ...hanging.seen, cached: '503 unavailable', item: '503 unavailable' },
    // Once nothing stale is good enough, a request waits as long as one that asks the database.
    knownMs: hangMs,
  },
  ...stopped,
  holdMs: (staleMaxSeconds + 6) * 1_000,
}

/** A PostgreSQL that is gone or stands still, by name. */
export const postgresFaults = {
  postgresKilled,
  postgresStopped,
  postgresStoppedLong,
} satisfies Record<string, Fault>
