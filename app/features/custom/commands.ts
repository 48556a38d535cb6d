import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { parseSlug } from '../../command-line/arguments.ts'
import { changeAsOperator, changeAudited, createList, requireCustomer } from '../../command-line/audited.ts'
import { type Confirmable, confirm, withYes } from '../../command-line/confirm.ts'
import { withOperator } from '../../command-line/context.ts'
import { Refusal, Reported } from '../../command-line/refusal.ts'
import {
  createCommand,
  createGroup,
  formatFields,
  type Output,
  print,
  type Shell,
} from '../../command-line/shell.ts'
import { describeFileFault } from '../../command-line/source.ts'
import type { Db } from '../../db/schema.ts'
import { findNearest } from '../../lists/nearest.ts'
import { checkDocument } from './check.ts'
import type { Definition } from './definition.ts'
import { DocumentError, formatFault } from './faults.ts'
import { readText } from './read.ts'
import {
  applyDocument,
  type CustomEndpoint,
  listEndpoints,
  removeEndpoint,
  setGrant,
  setGrantToEveryone,
} from './store.ts'

type Read = { definition: Definition; text: string }

const readDocument = async (file: string): Promise<Read> => {
  const content = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Refusal(`${file} cannot be read: ${describeFileFault(error)}`)
  })
  const document = readText(content)
  return { definition: checkDocument(document), text: JSON.stringify(document) }
}

const readOrReport = async (shell: Shell, file: string, options: Output): Promise<Read> => {
  try {
    return await readDocument(file)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    const { faults } = error
    if (options.json) print(shell, options, { ok: false, faults }, '')
    else for (const fault of faults) shell.stderr.write(`${file}: ${formatFault(fault)}\n`)
    throw new Reported()
  }
}

const describe = ({ name, revision, params, dependsOn }: Definition) => ({
  name,
  revision,
  params: [...params.keys()],
  reads: dependsOn.filter((each) => each !== 'custom'),
})

const check = async (shell: Shell, file: string, options: Output): Promise<void> => {
  const { definition } = await readOrReport(shell, file, options)
  const described = describe(definition)
  print(shell, options, { ok: true, ...described }, `${file} is good\n\n${formatFields(described)}`)
}

const apply = async (shell: Shell, file: string, options: Output): Promise<void> => {
  const { definition, text } = await readOrReport(shell, file, options)
  const { name, revision } = definition
  let outcome: 'applied' | 'unchanged' = 'unchanged'
  await changeAsOperator(
    shell,
    async (trx) => {
      const applied = await applyDocument(trx, { name, revision, text })
      if (applied.outcome === 'conflict') {
        const { current } = applied
        throw new Refusal(
          `${name} is at revision ${current} with other content: set the revision of this document to ${current + 1}`,
        )
      }
      outcome = applied.outcome
      return applied.outcome === 'applied' ? applied : undefined
    },
    ({ previous }) => ({ action: 'custom.apply', subject: name, details: { revision, previous } }),
  )
  print(shell, options, { name, revision, outcome }, `${name}, revision ${revision}: ${outcome}`)
}

const requireEndpoint = async (db: Db, name: string): Promise<CustomEndpoint> => {
  const [found] = await listEndpoints(db, name)
  if (found) return found
  const nearest = findNearest(
    name,
    (await listEndpoints(db)).map((each) => each.name),
  )
  throw new Refusal(
    `There is no custom endpoint ${name}${nearest === undefined ? ': see certdata custom list' : `: did you mean ${nearest}?`}`,
  )
}

type GrantOptions = Output & { everyone?: true }

const setFor =
  (shell: Shell, granted: boolean) =>
  async (name: string, slug: string | undefined, options: GrantOptions, command: Command) => {
    if ((slug === undefined) !== (options.everyone === true))
      command.error('error: give either a customer or --everyone')
    const action = granted ? 'custom.grant' : 'custom.revoke'
    const endpoint = await withOperator(shell, async (db) => {
      await requireEndpoint(db, name)
      if (slug !== undefined) await requireCustomer(db, slug)
      await changeAudited(
        db,
        (trx) =>
          slug === undefined ? setGrantToEveryone(trx, name, granted) : setGrant(trx, name, slug, granted),
        () => ({
          action,
          subject: name,
          ...(slug === undefined ? { details: { everyone: true } } : { customer: slug }),
        }),
      )
      return requireEndpoint(db, name)
    })
    print(shell, options, endpoint)
  }

const remove = async (shell: Shell, name: string, options: Confirmable): Promise<void> => {
  await withOperator(shell, async (db) => {
    const { revision, everyone, granted } = await requireEndpoint(db, name)
    const users = everyone ? 'every customer' : granted.join(', ') || 'no customer'
    const consequence = `The endpoint ${name}, its documents up to revision ${revision} and its grants (to ${users}) are deleted for good`
    await confirm(shell, options, consequence)
    await changeAudited(
      db,
      (trx) => removeEndpoint(trx, name),
      () => ({ action: 'custom.remove', subject: name }),
    )
  })
  print(shell, options, { name, outcome: 'removed' }, `${name} removed, with its documents and grants`)
}

const withFile = (name: string, description: string): Command =>
  createCommand(name, description).argument('<file>', 'the document, YAML or JSON')

const withName = (name: string, description: string): Command =>
  createCommand(name, description).argument('<name>', 'name of the endpoint')

const granting = (name: string, description: string, everyone: string): Command =>
  withName(name, description)
    .argument('[customer]', 'slug of the customer', parseSlug)
    .option('--everyone', everyone)

/** `certdata custom …` */
export const buildCommand = (shell: Shell): Command =>
  createGroup(
    'custom',
    'custom endpoints: documents and grants',
    withFile('check', 'check a document, write nothing; exit code 1 names every fault').action(
      check.bind(null, shell),
    ),
    withFile('apply', 'make a document the current revision of its endpoint').action(apply.bind(null, shell)),
    createList(shell, {
      action: 'custom.list',
      description: 'all custom endpoints and who has them',
      none: 'no custom endpoints yet',
      read: listEndpoints,
    }),
    granting('grant', 'grant an endpoint', 'to all customers without a separate revocation').action(
      setFor(shell, true),
    ),
    granting(
      'revoke',
      'revoke the grant of an endpoint',
      'from all customers without a separate grant',
    ).action(setFor(shell, false)),
    withYes(withName('remove', 'remove an endpoint with its documents and grants')).action(
      remove.bind(null, shell),
    ),
  )
