import type { Deps } from '../plugins/deps.ts'
import type { Poller } from './cache/poller.ts'
import type { Commands } from './command-line/command-line.ts'
import type { Contents } from './contents.ts'
import type { LocalDatabase } from './local/local-database.ts'
import type { Figure } from './observe/figures.ts'
import type { after } from './overload/timer.ts'

/** `stop` waits for the work in progress. */
export type Task = Readonly<{
  stop: () => Promise<unknown>
  /** Its work in progress may take seconds, so it stops before the requests in progress have ended. */
  isSlow?: true
}>

export type TaskContext = Pick<Deps, 'config' | 'db' | 'reserved' | 'secrets' | 'freshness'> &
  Readonly<{
    poller: Poller
    /** The bundled PostgreSQL. `undefined` if a database is configured. */
    local: LocalDatabase | undefined
    warn: (message: string, error?: Error) => void
    addFigures: (figures: readonly Figure[]) => void
    /** Optional. Defaults to real timers. */
    after?: typeof after
  }>

/** `needs`: names of the features that this one imports. */
type Identity = Readonly<{ name: string; needs?: readonly string[] }>

/**
 * Parts with code, as functions that import them: a command loads one feature's commands and no routes. Its SQL is in
 * no list, see docs/decisions/0229-the-baseline-finds-the-sql-of-features.md.
 */
type Parts = Readonly<{
  /** By the first word, such as `requests` of `certdata requests list`. */
  commands?: Commands
  /** Background work that a machine needs once. It starts when the service listens. */
  tasks?: () => Promise<{ startTasks: (context: TaskContext) => readonly Task[] }>
  /** Figures that need only `deps`. A route or task adds the figures of its state. */
  metrics?: () => Promise<{ listFigures: (deps: Deps) => readonly Figure[] }>
}>

/** See "Features" in ARCHITECTURE.md and docs/decisions/0228-features-are-plain-data.md. */
export type Feature = Identity & Parts & Contents
