import type { Task, TaskContext } from '../../feature.ts'
import { repeat } from '../../overload/repeat.ts'
import { deleteOldUsage } from './usage.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Deletes old usage once an hour. A failure is logged once until the next success. */
export const startTasks = ({ reserved, warn, after }: TaskContext): readonly Task[] => [
  {
    stop: repeat({
      work: () => deleteOldUsage(reserved),
      // A service that restarts often may never run for an hour.
      firstMs: minuteMs,
      everyMs: hourMs,
      onFailure: (error) => warn('old usage was not deleted: trying again in an hour', error),
      ...(after ? { after } : {}),
    }),
  },
]
