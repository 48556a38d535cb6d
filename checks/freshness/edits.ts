import type { Edit } from '../../test/edit-sources.ts'

const fence = 'app/cache/fence.ts'
const unchanged = 'app/features/feed/unchanged.ts'

/** Planted faults of empty polls: each removes one condition of decision 0195. */
export const edits = {
  'mark-ignored': [
    { file: fence, from: 'if (!marks.isNewestIn(position.mark, position.snapshot)) return false', to: '' },
  ],
  'epoch-ignored': [
    { file: fence, from: 'if (!last || !isOfDatabase(last.epoch, position.identity))', to: 'if (!last)' },
    { file: fence, from: 'if (!isSame) marks.clear()', to: '' },
  ],
  'floor-ignored': [{ file: fence, from: '!includesSnapshot(stamped.snapshot, floor) ||', to: '' }],
  'lease-ignored': [
    {
      file: 'app/cache/freshness.ts',
      from: 'if (!(await (noCache ? poller.confirmAfter() : hasLease()))) return undefined',
      to: '',
    },
    {
      file: 'app/cache/freshness.ts',
      from: 'return poller.isLeased() && fence.isUnchanged',
      to: 'return fence.isUnchanged',
    },
  ],
  'day-ignored': [{ file: unchanged, from: 'moment.day !== now.day ||', to: '' }],
  'window-ignored': [
    { file: unchanged, from: '|| moment.window !== now.window', to: '' },
    { file: unchanged, from: '  settings,\n]', to: ']' },
  ],
  'resource-missing': [{ file: unchanged, from: '  ...names,\n', to: '  ...names.slice(1),\n' }],
} as const satisfies Record<string, readonly Edit[]>

export type EditedFault = keyof typeof edits

export const isEdited = (fault: string | undefined): fault is EditedFault =>
  fault !== undefined && Object.hasOwn(edits, fault)
