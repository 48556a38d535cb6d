import type { Deps } from '../../../plugins/deps.ts'
import { createSlowFigure, type Figure, gauge } from '../../observe/figures.ts'
import { countOverdueRequests } from './store.ts'

const keptMs = 30_000

/** The database counts overdue requests at most every 30 s. */
export const listFigures = ({
  reserved,
  monotonicNow: now,
}: Pick<Deps, 'reserved' | 'monotonicNow'>): readonly Figure[] => {
  const read = createSlowFigure({ read: () => countOverdueRequests(reserved), now, keptMs })
  return [gauge('certdata_access_requests_overdue', 'Overdue access requests', read)]
}
