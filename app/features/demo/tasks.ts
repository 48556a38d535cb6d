import type { Task, TaskContext } from '../../feature.ts'
import { startDemoUndo } from './changes.ts'

/** Undoes changes of example records that are due. */
export const startTasks = ({ reserved: db, warn }: TaskContext): readonly Task[] => [
  { stop: startDemoUndo({ db, warn }) },
]
