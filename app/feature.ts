import type { Deps } from '../plugins/deps.ts'
import type { Commands } from './command-line/command-line.ts'
import type { CustomerTables } from './db/customer-tables.ts'
import type { AddressKey } from './identity/address-keys.ts'
import type { Preparation } from './local/prepare.ts'
import type { FirstStep } from './local/welcome.ts'
import type { Figure } from './observe/figures.ts'
import type { after } from './overload/timer.ts'
import type { SiteFeature } from './site/options.ts'

/**
 * `stop` waits for the work in progress. `isSlow`: this may take seconds, so a stopping instance calls it before it waits
 * for requests, and again afterwards.
 */
export type Task = Readonly<{ stop: () => Promise<unknown>; isSlow?: true }>

/** A feature that needs more of `Deps` adds it here. */
export type TaskContext = Pick<
  Deps,
  'config' | 'db' | 'reserved' | 'secrets' | 'freshness' | 'databaseNow' | 'listen'
> &
  Readonly<{
    warn: (message: string, error?: Error) => void
    addFigures: (figures: readonly Figure[]) => void
    /** Optional. Defaults to real timers. */
    after?: typeof after
  }>

/**
 * Plain data. Parts with code are functions that import a file, whose exports have fixed names. SQL and endpoints are in
 * no member: `app/db/migrate.ts` finds the first, and `routes/index.ts` lists the others. See "Features" in
 * ARCHITECTURE.md, docs/decisions/0228-features-are-plain-data.md and docs/decisions/0230-features-add-no-layer.md.
 */
export type Feature = SiteFeature &
  Readonly<{
    name: string
    /** Names of the features that this one imports. */
    needs?: readonly string[]
    /** By the first word, such as `requests` of `certdata requests list`. */
    commands?: Commands
    /** Background work that the first process of an instance starts when the service listens. */
    tasks?: () => Promise<{ startTasks: (context: TaskContext) => readonly Task[] }>
    /** Data of this release, which `migrate` and the start of a bundled database load. */
    preparation?: Preparation
    /** Every table with a column `customer_id`. An export and an import of a customer contain it. */
    customerTables?: CustomerTables
    /** `npm start` prints them below the API key of the customer `local`. */
    firstSteps?: readonly FirstStep[]
    /** A kind of key that is part of an address. `keys issue` has an option for it. */
    addressKey?: AddressKey
    /** Cases of `certdata verify`, as JSON files. Their names begin with the section of the contract. */
    verifyFolder?: URL
  }>
