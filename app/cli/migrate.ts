import { prepareDatabase } from '../db/prepare.ts'
import { withOwner } from './context.ts'
import { createCommand, type Output, print } from './output.ts'

const migrate = async (options: Output): Promise<void> => {
  const { migrations, referenceLoaded } = await withOwner(prepareDatabase)
  const reference = `reference data ${referenceLoaded ? 'loaded' : 'up to date'}`
  print(
    options,
    { migrations, reference_data: referenceLoaded ? 'loaded' : 'up_to_date' },
    [...migrations.map((name) => `ran ${name}`), `schema up to date, ${reference}`].join('\n'),
  )
}

/** `certdata migrate` */
export const migrateCommand = () =>
  createCommand('migrate', 'bring the schema and the reference data up to date, make a signing key').action(
    migrate,
  )
