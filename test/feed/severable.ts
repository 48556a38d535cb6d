import { createDatabaseDoor } from '../door.ts'

/** A way to a database that can be cut. */
export const createSeverable = createDatabaseDoor
