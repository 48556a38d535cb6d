import { type Command, InvalidArgumentError } from 'commander'
import { changeAsOperator } from '../../command-line/audited.ts'
import { Refusal } from '../../command-line/refusal.ts'
import {
  createCommand,
  createGroup,
  formatFields,
  type Output,
  print,
  type Shell,
} from '../../command-line/shell.ts'
import { addServiceNote } from './store.ts'

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

type NoteOptions = Output & { from: Date; until: Date; text: string }

const note = async (shell: Shell, { from, until, text, ...output }: NoteOptions): Promise<void> => {
  if (until <= from) throw new Refusal('--until must be later than --from')
  const added = { from: from.toISOString(), until: until.toISOString(), text }
  await changeAsOperator(
    shell,
    async (trx) => {
      await addServiceNote(trx, { from, until, text })
      return added
    },
    (details) => ({ action: 'status.note', details }),
  )
  print(shell, output, added, `${formatFields(added)}\n\n/status shows it within a minute.`)
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
  )
