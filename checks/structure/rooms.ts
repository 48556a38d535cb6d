/**
 * The rooms from top to bottom. A room imports only from rooms below it. `app/errors.ts` is a separate room.
 * So are the entries `app/server.js`, `app/app.ts`, `app/certdata.js` and `app/cli.ts`, and the customer's
 * folders `routes/`, `plugins/` and `schemas/`, and `app/records/resources/`. ARCHITECTURE.md describes each room, in the order of imports.
 */
export const rooms = [
  'server',
  'main',
  'app',
  'cli',
  'routes',
  'features',
  'feature',
  'plugins',
  'edge',
  'site',
  'openapi',
  'command-line',
  'local',
  'observe',
  'import',
  'export',
  'records',
  'lists',
  'limits',
  'identity',
  'audit',
  'cache',
  'db',
  'overload',
  'http',
  'wire',
  'resources',
  'config',
  'errors',
  'schemas',
] as const

export type Room = (typeof rooms)[number]

/** Returns the room of a file, by its path from the project's root. `undefined` for files outside of all rooms. */
export const getRoom = (path: string): Room | undefined => {
  if (path.startsWith('app/records/resources/')) return 'resources'
  const [top = '', second = ''] = path.split('/')
  const name = top === 'app' ? second.replace(/\.(ts|js)$/, '') : top
  return name === 'certdata' ? 'cli' : rooms.find((room) => room === name)
}

export const isAbove = (upper: Room, lower: Room): boolean => rooms.indexOf(upper) < rooms.indexOf(lower)
