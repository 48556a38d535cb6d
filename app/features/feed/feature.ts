import type { Feature } from '../../feature.ts'

/** `GET /v1/changes`: all changes since a sync token, as pages, long polls, events and a whole state. */
export const feed: Feature = {
  name: 'feed',
  commands: { changes: () => import('./commands.ts') },
  guides: [{ name: 'changes', audience: 'integrators' }],
  verifyFolder: new URL('./verify/', import.meta.url),
}
