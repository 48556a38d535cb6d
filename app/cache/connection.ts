import pg from 'pg'
import { pinSession } from '../db/session.ts'
import { dropConnection } from '../wire/driver.ts'

export type AnyRow = pg.QueryResultRow

export type Connection = {
  queryRow<Row extends AnyRow>(text: string, values: unknown[]): Promise<Row>
  readonly isLost: boolean
  /** Destroys the socket, because the server may hang. */
  drop(): void
}

/** Connects in the background; `queryRow` rejects if that fails. `role` defaults to the login's. */
export const connect = ({ url, role }: { url: string; role?: string | undefined }): Connection => {
  const client = new pg.Client({
    connectionString: pinSession(url, { role }),
    application_name: 'certdata changes',
  })
  let isLost = false
  const drop = () => {
    isLost = true
    dropConnection(client)
  }
  client.on('error', drop)
  const connected = client.connect()
  connected.catch(() => {})
  return {
    async queryRow<Row extends AnyRow>(text: string, values: unknown[]) {
      await connected
      const { rows } = await client.query<Row>(text, values)
      return rows[0] as Row
    },
    get isLost() {
      return isLost
    },
    drop,
  }
}
