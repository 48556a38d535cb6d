import pg from 'pg'
import { pinSession } from '../db/session.ts'
import { dropConnection } from '../wire/driver.ts'

/** A row as the driver gives it. */
export type AnyRow = pg.QueryResultRow

/** A connection to the database, from its making to its loss. */
export type Connection = {
  /** The first row; rejects where the connection cannot be made, too. */
  ask<Row extends AnyRow>(text: string, values: unknown[]): Promise<Row>
  /** Not to be asked again. */
  readonly isLost: boolean
  /** At once: taking leave would wait for a server that may hang. */
  drop(): void
}

/** Starts to connect to the database. `role`: optional, defaults to the login's own. */
export const connect = ({ url, role }: { url: string; role?: string | undefined }): Connection => {
  const client = new pg.Client({
    connectionString: pinSession(url, role),
    application_name: 'certdata changes',
  })
  let isLost = false
  const drop = () => {
    isLost = true
    dropConnection(client)
  }
  client.on('error', drop)
  const made = client.connect()
  // Whoever asks is told; nobody may have asked yet when it fails.
  made.catch(() => {})
  return {
    async ask<Row extends AnyRow>(text: string, values: unknown[]) {
      await made
      const { rows } = await client.query<Row>(text, values)
      return rows[0] as Row
    },
    get isLost() {
      return isLost
    },
    drop,
  }
}
