import { connect } from 'node:net'
import pg from 'pg'
import { createDb, createPool, type QueuedDb, readerRole } from '../../app/db/connect.ts'
import { createDoor, type Door } from '../door.ts'

export type Severable = Pick<Door, 'sever' | 'mend'> & {
  url: string
  /** Opens at most `max` connections of the serving role through it. */
  openDb(max: number): QueuedDb
  close(): void
}

/** A connection to a database that a test can cut. */
export const createSeverable = async (databaseUrl: string): Promise<Severable> => {
  const { host, port, user = '', database = '', password } = new pg.Client({ connectionString: databaseUrl })
  const door = await createDoor(() =>
    host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host),
  )
  const options = { role: readerRole, applicationName: 'test', onError: () => {} }
  const login = typeof password === 'string' ? `${user}:${encodeURIComponent(password)}` : user
  const url = `postgresql://${login}@127.0.0.1:${door.port}/${database}?sslmode=disable`
  return {
    ...door,
    url,
    openDb: (max) => createDb(createPool(url, { ...options, max })),
    close: door.sever,
  }
}
