import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { listUnknownMigrations } from './migrate.ts'
import { lockNotAvailable } from './migration-steps.ts'
import type { Db } from './schema.ts'

/** `repaired`: table.trigger. `faults`: each names the statement or the next step. */
export type TriggerCheck = Readonly<{ repaired: readonly string[]; faults: readonly string[] }>

type Trigger = { name: string; table: string; definition: string }

// See docs/decisions/0156-the-shipped-schema-judges-triggers.md.
const readExpected = () => {
  const text = readFileSync(new URL('./schema.sql', import.meta.url), 'utf8')
  const functions = [
    ...text.matchAll(
      /^CREATE OR REPLACE FUNCTION (\S+\(.*\))\n(?: .*\n)*(?:AS \$function\$[\s\S]*?\$function\$$|RETURN [\s\S]*?(?=\n\n))/gm,
    ),
  ]
  const triggers = [
    ...text.matchAll(/^ {2}(CREATE TRIGGER (?<name>\S+) .* ON public\.(?<table>\S+) .*) enabled always$/gm),
  ]
  return {
    functions: functions.map(([definition, signature = '']) => ({ definition, signature })),
    triggers: triggers.map(([, definition = '', name = '', table = '']) => ({ definition, name, table })),
  }
}

let shipped: ReturnType<typeof readExpected> | undefined

/** The functions and triggers of `schema.sql`. */
export const getExpected = () => {
  shipped ??= readExpected()
  return shipped
}

type Present = {
  functions: string[]
  triggers: (Trigger & { mode: string })[]
  families: { child: string; parent: string; isPartition: boolean }[]
}

const readPresent = async (db: Db): Promise<Present> => {
  const { rows } = await sql<Present>`select
    (select coalesce(json_agg(pg_get_functiondef(p.oid)), '[]') from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.prokind = 'f') as functions,
    (select coalesce(json_agg(json_build_object('name', t.tgname, 'table', c.relname, 'mode', t.tgenabled,
        'definition', pg_get_triggerdef(t.oid))), '[]')
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = 'public'::regnamespace and not t.tgisinternal) as triggers,
    (select coalesce(json_agg(json_build_object('child', i.inhrelid::regclass::text,
        'parent', i.inhparent::regclass::text, 'isPartition', c.relispartition)), '[]')
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind in ('r', 'p')) as families`.execute(
    db,
  )
  return rows[0] as Present
}

const enable = ({ name, table }: Trigger) => `alter table public.${table} enable always trigger ${name}`

const checkTrigger = (expected: Trigger, present: Present['triggers']): string[] => {
  const { name, table, definition } = expected
  const found = present.find((each) => each.name === name && each.table === table)
  if (found?.definition === definition) {
    return found.mode === 'A' ? [] : [`trigger ${name} does not always fire: \`${enable(expected)}\``]
  }
  const drop = found ? `drop trigger ${name} on public.${table}; ` : ''
  const fault = found ? 'differs from this release' : 'is missing'
  return [`trigger ${name} ${fault}: \`${drop}${definition}; ${enable(expected)}\``]
}

const listFaults = async (db: Db): Promise<string[]> => {
  const { functions, triggers } = getExpected()
  const present = await readPresent(db)
  const bodies = new Set(present.functions.map((each) => each.trimEnd()))
  const tables = new Set(triggers.map(({ table }) => table))
  return [
    ...functions
      .filter(({ definition }) => !bodies.has(definition))
      .map(
        ({ signature }) =>
          `function ${signature} is not this release's: run its statement in app/db/schema.sql`,
      ),
    ...triggers.flatMap((each) => checkTrigger(each, present.triggers)),
    ...present.families
      .filter(({ child, parent }) => tables.has(child) || tables.has(parent))
      .map(({ child, parent, isPartition }) => {
        const separate = isPartition
          ? `alter table ${parent} detach partition ${child}`
          : `alter table ${child} no inherit ${parent}`
        return `${child} inherits from ${parent}, so statements on one bypass the triggers of the other: \`${separate}\``
      }),
  ]
}

const repairModes = async (db: Db): Promise<string[]> => {
  const wanted = getExpected().triggers.map(({ table, name }) => `${table}.${name}`)
  const { rows } = await sql<{ name: string }>`
    select name from repair_trigger_modes(${wanted}::text[]) name`.execute(db)
  return rows.map(({ name }) => name)
}

type Retry = <T>(step: () => Promise<T>) => Promise<T>

const once: Retry = (step) => step()

/** Leaves a schema of a later release alone: only that release knows its triggers. */
const checkTriggers = async (db: Db, retry: Retry): Promise<TriggerCheck & { isKnown: boolean }> => {
  if ((await listUnknownMigrations(db)).length > 0) return { repaired: [], faults: [], isKnown: false }
  const repaired = await retry(() => repairModes(db)).catch((error: { code?: string }): string[] => {
    // A writer holds the table. The fault names the statement.
    if (error.code === lockNotAvailable) return []
    throw error
  })
  return { repaired, faults: await listFaults(db), isKnown: true }
}

/** `history_from`: when its history began before the distrust. Null if it has none. */
type Distrusted = { resource: string; history_from: string | null }

const begin = async (db: Db, names: readonly string[], isIncomplete: boolean): Promise<Distrusted[]> => {
  const { rows } = await sql<Distrusted>`
    select * from distrust_resources(${names}::text[], ${isIncomplete})`.execute(db)
  return rows
}

/** Begins the distrust of these resources, after a repair of trigger modes. Idempotent. Runs as the serving role. */
export const distrust = async (
  db: Db,
  names: readonly string[],
): Promise<TriggerCheck & { distrusted: readonly Distrusted[] }> => {
  const { repaired, faults } = await checkTriggers(db, once)
  return { distrusted: await begin(db, names, faults.length > 0), repaired, faults }
}

/**
 * Repairs trigger modes, and ends all distrust if all triggers and functions equal this release. Runs as the owner or
 * the serving role. `retry`: repeats a repair while writers hold the table. Defaults to one attempt.
 */
export const regainTrust = async (
  db: Db,
  retry = once,
): Promise<TriggerCheck & { ended: readonly Distrusted[] }> => {
  const { repaired, faults, isKnown } = await checkTriggers(db, retry)
  if (!isKnown || faults.length > 0) {
    await begin(db, [], faults.length > 0)
    return { repaired, faults, ended: [] }
  }
  const { rows } = await sql<Distrusted>`select * from end_distrust()`.execute(db)
  return { repaired, faults, ended: rows }
}
