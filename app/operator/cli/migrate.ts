import { prepareDatabase } from '../../local/prepare.ts'
import { recordAct } from './audited.ts'
import { withOwner } from './context.ts'
import { createCommand, type Output, print, type Shell } from './shell.ts'

const migrate = async (shell: Shell, options: Output): Promise<void> => {
  const { migrations, referenceLoaded } = await withOwner(shell, async (db, openSecrets) => {
    const prepared = await prepareDatabase(db, openSecrets())
    const details = { migrations: prepared.migrations, reference_loaded: prepared.referenceLoaded }
    await recordAct(db, { action: 'migrate', details })
    return prepared
  })
  const reference = `reference data ${referenceLoaded ? 'loaded' : 'up to date'}`
  print(
    shell,
    options,
    { migrations, reference_data: referenceLoaded ? 'loaded' : 'up_to_date' },
    [...migrations.map((name) => `ran ${name}`), `schema up to date, ${reference}`].join('\n'),
  )
}

/** `certdata migrate` */
export const migrateCommand = (shell: Shell) =>
  createCommand('migrate', 'update the schema and the reference data, and make a signing key').action(
    migrate.bind(null, shell),
  )
