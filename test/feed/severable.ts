import { connect } from 'node:net'
import pg from 'pg'
import { createDoor, type Door } from '../door.ts'

export type Severable = Pick<Door, 'sever' | 'mend'> & {
  url: string
  close(): void
}

/** A connection to a database that a test can cut. */
export const createSeverable = async (databaseUrl: string): Promise<Severable> => {
  const { host, port, user = '', database = '', password } = new pg.Client({ connectionString: databaseUrl })
  const door = await createDoor(() =>
    host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host),
  )
  const login = typeof password === 'string' ? `${user}:${encodeURIComponent(password)}` : user
  return {
    ...door,
    url: `postgresql://${login}@127.0.0.1:${door.port}/${database}?sslmode=disable`,
    close: door.sever,
  }
}
