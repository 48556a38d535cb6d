import type { Task, TaskContext } from '../../feature.ts'
import { repeat } from '../../overload/repeat.ts'
import { deleteOldRequests } from './store.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Deletes old requests once an hour. A failure is logged once until the next success. */
export const startTasks = ({ config, reserved, warn, after }: TaskContext): readonly Task[] => [
  {
    stop: repeat({
      work: () => deleteOldRequests(reserved, config.accessRequestDays, 'system'),
      // A service that restarts often may never run for an hour.
      firstMs: minuteMs,
      everyMs: hourMs,
      onFailure: (error) => warn('old access requests were not deleted: trying again in an hour', error),
      ...(after ? { after } : {}),
    }),
  },
]
