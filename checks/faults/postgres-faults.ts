import { hangMs, refused, refusedOrQueued, stale, whilePollsFail } from './expectations.ts'
import type { Expected, Fault } from './fault.ts'
import { staleMaxSeconds } from './stage.ts'

/** The database is unreachable: answers from memory are stale, all other requests are refused. */
const away: Expected = {
  text: 'from memory stale, the rest 503 unavailable, recovered in 2 s',
  allowed: whilePollsFail,
  seen: { cached: 'stale', item: 'stale', uncached: '503 unavailable', login: '503 unavailable' },
  isWarned: true,
  // The log may contain a warning for each of the 34 lost connections.
  mostWarnings: 60,
}

/** The same if PostgreSQL's processes hang: statements in progress wait until they time out. */
const hanging: Expected = {
  ...away,
  text: 'as killed; statements in progress 503 after at most 7 s',
  allowed: {
    ...away.allowed,
    login: refusedOrQueued,
    changes: refusedOrQueued,
    uncached: [...stale, ...refusedOrQueued],
    shared: [...stale, ...refusedOrQueued],
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
    // When stale answers are too old, these requests wait as long as database requests.
    knownMs: hangMs,
  },
  ...stopped,
  holdMs: (staleMaxSeconds + 6) * 1_000,
}

/** PostgreSQL is down or hangs. */
export const postgresFaults = {
  postgresKilled,
  postgresStopped,
  postgresStoppedLong,
} satisfies Record<string, Fault>
