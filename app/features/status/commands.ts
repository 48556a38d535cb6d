import { type Command, InvalidArgumentError } from 'commander'
import { changeAsOperator, recordAct } from '../../command-line/audited.ts'
import { withOperator } from '../../command-line/context.ts'
import { Refusal } from '../../command-line/refusal.ts'
import {
  createCommand,
  createGroup,
  createTableCommand,
  formatFields,
  type Output,
  print,
  type Shell,
  type TableOutput,
} from '../../command-line/shell.ts'
import { printTable } from '../../command-line/table.ts'
import { addServiceNote, listKeptNotes, removeServiceNote } from './store.ts'

const parseInstant = (value: string): Date => {
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(value)
  const at = new Date(isInstant ? value : Number.NaN)
  if (Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('expected an instant such as 2026-12-01T22:00Z or 2026-12-01T23:00+01:00')
  return at
}

const maxText = 500

const parseText = (value: string): string => {
  const text = value.trim()
  if (text === '' || text.length > maxText || /\p{Cc}/u.test(text))
    throw new InvalidArgumentError(`expected 1 to ${maxText} characters and no control characters`)
  return text
}

const parseId = (value: string): number => {
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('expected an id of certdata status notes, such as 3')
}

type NoteOptions = Output & { from: Date; until: Date; text: string }

const note = async (shell: Shell, { from, until, text, ...output }: NoteOptions): Promise<void> => {
  if (until <= from) throw new Refusal('--until must be later than --from')
  const added = await changeAsOperator(
    shell,
    (trx) => addServiceNote(trx, { from, until, text }),
    (details) => ({ action: 'status.note', details }),
  )
  const undo = `To take it back: certdata status remove ${added.id}`
  print(shell, output, added, `${formatFields(added)}\n\n/status shows it within a minute. ${undo}`)
}

const list = async (shell: Shell, options: TableOutput): Promise<void> => {
  const notes = await withOperator(shell, async (db) => {
    await recordAct(db, { action: 'status.list' })
    return listKeptNotes(db)
  })
  printTable(shell, options, notes, { none: 'no announcements' })
}

const remove = async (shell: Shell, id: number, output: Output): Promise<void> => {
  const removed = await changeAsOperator(
    shell,
    (trx) => removeServiceNote(trx, id),
    (details) => ({ action: 'status.remove', details }),
  )
  if (!removed) throw new Refusal(`There is no announcement ${id}: see certdata status notes`)
  print(shell, output, removed, `${formatFields(removed)}\n\nRemoved. /status drops it within a minute.`)
}

/** `certdata status …` */
export const buildCommand = (shell: Shell): Command =>
  createGroup(
    'status',
    'the status page',
    createCommand('note', 'announce maintenance; its minutes are marked and still count')
      .requiredOption('--from <instant>', 'its begin, such as 2026-12-01T22:00Z', parseInstant)
      .requiredOption('--until <instant>', 'its end', parseInstant)
      .requiredOption('--text <text>', 'one sentence for customers', parseText)
      .action(note.bind(null, shell)),
    createTableCommand('notes', 'list the announcements, the latest first').action(list.bind(null, shell)),
    createCommand('remove', 'remove an announcement from the status page')
      .argument('<id>', 'its id from certdata status notes', parseId)
      .action(remove.bind(null, shell)),
  )
