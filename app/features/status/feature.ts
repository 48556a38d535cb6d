import type { Feature } from '../../feature.ts'

/** Each process counts its answers and probes itself. The page and `/status.json` show the minutes of all processes. */
export const status: Feature = {
  name: 'status',
  commands: { status: () => import('./commands.ts') },
  pages: [{ path: '/status', label: 'Status', contents: 'availability and speed, as measured' }],
  footerPages: [{ path: '/status.json', label: 'Status as JSON' }],
  statusPath: '/status',
  browserFolder: new URL('./browser/', import.meta.url),
  verifyFolder: new URL('./verify/', import.meta.url),
}
