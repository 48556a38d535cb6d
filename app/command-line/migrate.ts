import { type PrepareOptions, prepareDatabase } from '../local/prepare.ts'
import { recordAct } from './audited.ts'
import { withOwner } from './context.ts'
import { createCommand, type Output, print, type Shell } from './shell.ts'

type Features = NonNullable<PrepareOptions['features']>

const migrate = async (shell: Shell, features: Features, options: Output): Promise<void> => {
  const { migrations, trust, referenceLoaded } = await withOwner(shell, async (db, openSecrets) => {
    const prepared = await prepareDatabase(db, openSecrets(), { features })
    const { repaired, ended } = prepared.trust
    const details = {
      migrations: prepared.migrations,
      reference_loaded: prepared.referenceLoaded,
      ...(repaired.length > 0 ? { triggers_repaired: repaired } : {}),
      ...(ended.length > 0 ? { trusted_again: ended.map(({ resource }) => resource) } : {}),
    }
    await recordAct(db, { action: 'migrate', details })
    return prepared
  })
  const reference = `reference data ${referenceLoaded ? 'loaded' : 'up to date'}`
  const { repaired, faults, ended } = trust
  const lines = [
    ...migrations.map((name) => `ran ${name}`),
    ...repaired.map((name) => `the trigger ${name} fires always again`),
    ...ended.map(
      ({ resource, history_from }) =>
        `cached answers of ${resource} are trusted again${history_from === null ? '' : `; its history began at ${history_from} before`}`,
    ),
    ...faults,
    faults.length === 0
      ? `schema up to date, ${reference}`
      : `the schema has ${faults.length} faults: run the statements above as the owner, then certdata migrate again`,
  ]
  print(
    shell,
    options,
    { migrations, ...trust, reference_data: referenceLoaded ? 'loaded' : 'up_to_date' },
    lines.join('\n'),
  )
}

/** `certdata migrate` */
export const buildCommand = (shell: Shell, features: Features) =>
  createCommand('migrate', 'update the schema and the reference data, and make a signing key').action(
    migrate.bind(null, shell, features),
  )
