import { createDb, createPool, type QueuedDb, readerRole } from '../app/db/connect.ts'
import { createDatabaseDoor } from './door.ts'

const options = { role: readerRole, applicationName: 'test', onError: () => {} }

/** A connection to a database that a test can cut. `openDb` opens at most `max` connections through it. */
export const createSeverable = async (databaseUrl: string) => {
  const door = await createDatabaseDoor(databaseUrl)
  const openDb = (max: number): QueuedDb => createDb(createPool(door.url, { ...options, max }))
  return Object.assign(door, { openDb })
}
